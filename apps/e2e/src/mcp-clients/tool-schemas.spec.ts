// tags: mcp
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { pythonWith } from '@postroom/testing';
import { McpClient } from '../mcp-client.js';
import { Workplace } from '../workplace.js';
import { llamaGrammar } from './llama-grammar.js';
import { officialPackages } from './official-packages.js';

const runtimes = ['llguidance==1.9.1', 'google-genai==3.3.0', 'openai-agents==0.24.0'];
const python = pythonWith(runtimes);
const converter = python.missing === null ? llamaGrammar() : null;
const missing = python.missing ?? (converter === null ? 'the source of llama-cpp-python' : null);
const itInPython = missing === null ? it : it.skip;
const tokensMax = 3_000;

describe(`the schemas of tools${missing === null ? '' : `, without ${missing}`}`, () => {
  let folder: string;
  let listed: string;

  const asked = (command: string, script: string, env = process.env): string => {
    const args = [join(folder, script)];
    const { stdout, stderr } = spawnSync(command, args, { input: listed, env, encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return stdout.trim();
  };

  beforeAll(async () => {
    folder = officialPackages('clients');
    const workplace = await Workplace.open('acme');
    const { key } = await workplace.keyFor(await workplace.mailbox());
    const { result } = await new McpClient(workplace.product, key).ask('tools/list');
    listed = JSON.stringify(result?.['tools']);
  });

  itInPython('are taken by what constrains a model, and by the conversions of model APIs', () => {
    const path = `${python.env['PYTHONPATH'] ?? ''}${delimiter}${converter ?? ''}`;
    const env = { ...process.env, ...python.env, PYTHONPATH: path };
    expect(JSON.parse(listed)).toHaveLength(10);
    expect(asked('python3', 'tool_schemas.py', env)).toBe('[]');
  });

  it('take less than 3,000 tokens in all', () => {
    expect(Number(asked(process.execPath, 'tokens.mjs'))).toBeLessThan(tokensMax);
  });
});
