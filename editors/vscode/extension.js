// Starts `kairos lsp` for files of Kairos, and the studio in a terminal.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("kairos");
  const server = { command: settings.get("program"), args: ["lsp", ...(settings.get("allowFiles") ? ["--allow-files"] : [])] };
  client = new LanguageClient("kairos", "Kairos", server, { documentSelector: [{ language: "kairos" }] });
  return client.start();
}

exports.activate = function (context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("kairos.restart", async () => {
      await client.stop();
      await start();
    }),
    vscode.commands.registerCommand("kairos.studio", () => {
      const terminal = vscode.window.createTerminal("kairos studio");
      const file = vscode.window.activeTextEditor?.document.fileName ?? ".";
      const program = vscode.workspace.getConfiguration("kairos").get("program");
      terminal.sendText(`${program} studio '${file.replace(/'/g, `'\\''`)}'`);
      terminal.show();
    })
  );
  return start();
};

exports.deactivate = () => client?.stop();
