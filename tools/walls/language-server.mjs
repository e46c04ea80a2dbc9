import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../run/child.mjs';

/** Oxlint as an editor runs it, by LSP: it judges a text for a path, which need not be on disk. */
export function languageServer(options) {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const stdio = ['pipe', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [oxlint, '--lsp'], { cwd: root, stdio });
  const waiting = new Map();
  let received = Buffer.alloc(0);
  let version = 0;

  const send = (message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const answerTo = (key) => new Promise((resolve) => waiting.set(key, resolve));
  const take = ({ id, method, params, result }) => {
    const key = method === undefined ? 'initialized' : params.version;
    if (method !== undefined && id !== undefined) send({ id, result: null });
    waiting.get(key)?.(result ?? params);
    waiting.delete(key);
  };
  child.stdout.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const start = received.indexOf('\r\n\r\n') + 4;
      const end = start + Number(/Content-Length: (\d+)/.exec(received.toString())?.[1]);
      if (start < 4 || !(received.length >= end)) return;
      const message = received.subarray(start, end).toString();
      received = received.subarray(end);
      take(JSON.parse(message));
    }
  });

  return {
    async start() {
      const workspaceUri = pathToFileURL(root).href;
      const initializationOptions = [{ workspaceUri, options }];
      const workspaceFolders = [{ uri: workspaceUri, name: 'postroom' }];
      const params = { processId: process.pid, capabilities: {}, workspaceFolders };
      const ready = answerTo('initialized');
      send({ id: 1, method: 'initialize', params: { ...params, initializationOptions } });
      await ready;
      send({ method: 'initialized', params: {} });
    },

    /** Names of the rules that refuse this text at this path, sorted. */
    async refusals(path, text) {
      const uri = pathToFileURL(join(root, path)).href;
      version += 1;
      const judged = answerTo(version);
      const textDocument = { uri, languageId: 'typescript', version, text };
      send({ method: 'textDocument/didOpen', params: { textDocument } });
      const { diagnostics } = await judged;
      send({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
      // The others explain one of these.
      const errors = diagnostics.filter(({ severity }) => severity === 1);
      const fault = errors.find(({ code }) => !code);
      if (fault) throw new Error(`${path}: ${fault.message}`);
      return errors.map(({ code }) => ruleOf(code)).sort();
    },

    stop: () => child.kill(),
  };
}

/** Oxlint writes `typescript(no-explicit-any)`, and a rule of ESLint's own without its plugin in a configuration. */
const ruleOf = (code) => code.replace(/^(.+)\((.+)\)$/, '$1/$2').replace(/^eslint\//, '');
