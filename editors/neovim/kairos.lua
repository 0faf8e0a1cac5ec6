-- Kairos in Neovim 0.7 or newer, without plugins: require("kairos").setup() in init.lua.
local M = {}

function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = "*.kai",
    callback = function() vim.bo.filetype = "kairos" end,
  })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "kairos",
    callback = function(args)
      vim.bo[args.buf].commentstring = "// %s"
      vim.bo[args.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
      if not M.client or vim.lsp.client_is_stopped(M.client) then
        M.client = vim.lsp.start_client({ name = "kairos", cmd = options.cmd or { "kairos", "lsp" }, root_dir = vim.fn.getcwd() })
      end
      vim.lsp.buf_attach_client(args.buf, M.client)
    end,
  })
end

return M
