// tags: mcp
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { pythonWith } from '@postroom/testing';
import { McpClient } from '../mcp-client.js';
import { Workplace } from '../workplace.js';

const runtimes = ['llguidance==1.9.1', 'google-genai==3.3.0', 'openai-agents==0.24.0'];
const python = pythonWith(runtimes);
const itInPython = python.missing === null ? it : it.skip;
const script = fileURLToPath(new URL('../../clients/tool_schemas.py', import.meta.url));

describe(`the schemas of tools${python.missing === null ? '' : `, without ${python.missing}`}`, () => {
  let listed: string;

  beforeAll(async () => {
    const workplace = await Workplace.open('acme');
    const { key } = await workplace.keyFor(await workplace.mailbox());
    const { result } = await new McpClient(workplace.product, key).ask('tools/list');
    listed = JSON.stringify(result?.['tools']);
  });

  itInPython('are taken by what constrains a model, and by the conversions of model APIs', () => {
    const env = { ...process.env, ...python.env };
    const { stdout, stderr } = spawnSync('python3', [script], {
      input: listed,
      env,
      encoding: 'utf8',
    });
    expect([stdout.trim(), stdout === '' ? stderr : '']).toEqual(['[]', '']);
  });
});
