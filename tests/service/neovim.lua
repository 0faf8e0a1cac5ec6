-- Neovim as a client: the file of the command line is examples/ball.
local function fail(what) error(what, 0) end
local passed = 0
local function ok(what) passed = passed + 1 io.stdout:write("ok  " .. what .. "\n") end

require("kairos").setup({ cmd = { vim.env.KAIROS, "lsp" } })
vim.cmd("edit")  -- once more, now that the language is known
local buffer = vim.api.nvim_get_current_buf()
if vim.bo.filetype ~= "kairos" then fail("the language is " .. vim.bo.filetype) end

local function ask(method, line, column, more)
  local params = vim.tbl_extend("force", { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = column } }, more or {})
  local replies = vim.lsp.buf_request_sync(buffer, method, params, 5000)
  for _, reply in pairs(replies or {}) do
    if reply.error then return nil, reply.error.message end
    return reply.result
  end
  fail(method .. ": no reply")
end
local function find(text)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local at = line:find(text, 1, true)
    if at then return number - 1, at - 1 end
  end
  fail("there is no " .. text)
end

vim.wait(5000, function() return #vim.lsp.buf_get_clients(buffer) > 0 end)
local line, column = find("v' = -g")
local hover = ask("textDocument/hover", line, column + 6)
if not hover.contents.value:find("9.81", 1, true) then fail("hover: " .. hover.contents.value) end
ok("hover")

local definition = ask("textDocument/definition", line, column + 6)
local declared = find("param g")
if definition.range.start.line ~= declared then fail("definition") end
ok("definition")

local items = ask("textDocument/completion", line, column + 7)
if #items == 0 then fail("completion") end
ok("completion")

vim.api.nvim_buf_set_lines(buffer, line, line + 1, false, { "      v' = -gg" })
if not vim.wait(5000, function() return #vim.diagnostic.get(buffer) > 0 end, 20) then fail("no diagnostics") end
local said = vim.diagnostic.get(buffer)[1]
if said.lnum ~= line or not said.message:find("did you mean `g`?", 1, true) then fail(said.message) end
ok("diagnostics with their help")

local actions = ask("textDocument/codeAction", line, 0, { range = { start = { line = line, character = 0 }, ["end"] = { line = line, character = 20 } }, context = { diagnostics = {} } })
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
if vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] ~= "      v' = -g" then fail("the action") end
if not vim.wait(5000, function() return #vim.diagnostic.get(buffer) == 0 end, 20) then fail("diagnostics stay") end
ok("an action mends it")

local edit = ask("textDocument/rename", declared, 8, { newName = "gravity" })
vim.lsp.util.apply_workspace_edit(edit, "utf-16")
find("v' = -gravity")
ok("rename")

vim.api.nvim_buf_set_lines(buffer, declared, declared + 1, false, { "param   gravity [m/s^2]=9.81, e = 0.8" })
vim.lsp.util.apply_text_edits(ask("textDocument/formatting", 0, 0, { options = { tabSize = 2, insertSpaces = true } }), buffer, "utf-16")
find("  param gravity [m/s^2] = 9.81, e = 0.8")
ok("layout")
io.stdout:write(passed .. " passed, 0 failed\n")
