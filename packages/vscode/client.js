// The VS Code extension: it starts `clusterc lsp` and stops it. All that is shown comes from the language server.
const vscode = require('vscode');
const { LanguageClient, RevealOutputChannelOn } = require('vscode-languageclient/node');

let client;

async function start() {
  const command = vscode.workspace.getConfiguration('clusterc').get('path') || 'clusterc';
  client = new LanguageClient(
    'clusterc',
    'clusterc',
    { command, args: ['lsp'] },
    { documentSelector: [{ scheme: 'file', language: 'yaml' }], revealOutputChannelOn: RevealOutputChannelOn.Never }
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const settings = 'Open settings';
    const chosen = await vscode.window.showErrorMessage(
      `'${command}' could not be started: install clusterc, or set 'clusterc.path' to the program (${error.message})`, settings);
    if (chosen === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'clusterc.path');
    }
  }
}

async function stop() {
  const running = client;
  client = undefined;
  if (running) {
    await running.stop();
  }
}

exports.activate = async (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand('clusterc.restart', async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration('clusterc.path')) {
        await stop();
        await start();
      }
    })
  );
  await start();
};

exports.deactivate = stop;
