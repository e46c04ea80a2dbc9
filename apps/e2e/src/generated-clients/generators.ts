import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonWith } from '@postroom/testing';

/** Versions of what npm does not install. */
const openApiGenerator = '7.25.0';
const oapiCodegen = '2.8.2';
const oasdiff = '1.37.0';
const pythonPackages = [
  'openapi-python-client==0.29.1',
  // The client of openapi-generator imports these.
  'pydantic==2.14.4',
  'python-dateutil==2.9.0.post0',
  'urllib3==2.8.0',
];

const python = pythonWith(pythonPackages);

/** A client that a generator makes of `public.json` in a folder that has the programs. */
export interface GeneratedClient {
  readonly name: string;
  /** The program that this machine lacks for it; null where it has all. */
  readonly missing: string | null;
  /** Generates and compiles it. @returns the command that sends and reads back, without its arguments */
  make(folder: string): readonly string[];
}

/** Runs a program to its end. @returns what it printed. @throws Error with all of that when it fails */
export function ran(folder: string, command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...{ cwd: folder, env: python.env, encoding: 'utf8', maxBuffer: 1e8 },
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${String(error)} ${stdout} ${stderr}`);
  return stdout;
}

const lacking = (...programs: readonly (readonly [string, string])[]): string | null =>
  programs.find(([program, version]) => spawnSync(program, [version]).status !== 0)?.[0] ?? null;

/** The program that this machine lacks for {@link breakingChanges}; null where it is there. */
export const comparerMissing = lacking(['go', 'version']);

/** Changes of a document that break clients of the one before, a sentence each. @throws Error with them, if there are any */
export const breakingChanges = (folder: string, before: string, document: string): string =>
  ran(
    folder,
    ...(['go', 'run', `github.com/oasdiff/oasdiff@v${oasdiff}`] as const),
    ...['breaking', before, document, '--format', 'singleline', '--fail-on', 'ERR'],
  );

const java = lacking(['java', '-version'], ['mvn', '-version']);

const nodeTool = (folder: string, name: string, ...args: readonly string[]): string =>
  ran(folder, join('node_modules', '.bin', name), ...args);

/** Parses and loads all that a generator wrote: an import that fails stops it. */
const loadedWhole = (folder: string, name: string): string =>
  ran(folder, 'python3', '-c', `import ${name}.models, ${name}.api`);

function openApiGenerated(folder: string, language: 'python' | 'java'): void {
  const artifact = `org.openapitools:openapi-generator-cli:${openApiGenerator}`;
  ran(
    folder,
    'mvn',
    ...['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`],
    '-DoutputDirectory=.',
  );
  const jar = `openapi-generator-cli-${openApiGenerator}.jar`;
  ran(folder, 'java', ...['-jar', jar, 'generate', '-i', 'public.json', '-g', language, '-o', '.']);
}

const pythonPage = readFileSync(new URL('../../../../docs/python.md', import.meta.url), 'utf8');

/** The program of docs/python.md with what it is given here, and with a last line that tells. */
const asRun = (program: string): string =>
  [
    'import json, sys',
    'base, key, given_mailbox, to, given_subject = sys.argv[1:]',
    program
      .replace('"http://127.0.0.1:3000/public"', 'base')
      .replace('os.environ["POSTROOM_API_KEY"]', 'key')
      .replace('"support@acme.test"', 'given_mailbox')
      .replace('"camille@example.com"', 'to')
      .replaceAll('"Hello"', 'given_subject')
      .replace('"my-first-message"', 'given_subject'),
    'print(json.dumps([receipt.accepted, subject]))',
  ].join('\n');

const sdk = new URL('../../../../libs/sdk/dist/index.js', import.meta.url).href;

/** The clients whose generators are tried, and our own in other programs than Node. */
export const generatedClients: readonly GeneratedClient[] = [
  {
    name: '@postroom/sdk in Deno',
    missing: null,
    make: () => [
      'node_modules/.bin/deno',
      'run',
      '--allow-net',
      '--allow-read',
      'sdk-send.mjs',
      sdk,
    ],
  },
  {
    name: '@postroom/sdk in Bun',
    missing: null,
    make: () => ['node_modules/.bin/bun', 'sdk-send.mjs', sdk],
  },
  {
    name: 'openapi-typescript',
    missing: null,
    make: (folder) => {
      nodeTool(folder, 'openapi-typescript', 'public.json', '-o', 'schema.d.ts');
      const strictly = ['--strict', '--exactOptionalPropertyTypes', '--allowJs', '--noEmit'];
      const modules = ['--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
      nodeTool(folder, 'tsc', ...strictly, ...modules, 'send.mjs', 'schema.d.ts');
      return [process.execPath, 'send.mjs'];
    },
  },
  {
    name: 'openapi-python-client',
    missing: python.missing,
    make: (folder) => {
      const [config, program] = ['yaml', 'python'].map(
        (language) =>
          new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(pythonPage)?.[1] ?? '',
      ) as [string, string];
      // It writes no files that a formatter would have to be there for.
      writeFileSync(join(folder, 'postroom.yaml'), `${config}post_hooks: []\n`);
      writeFileSync(join(folder, 'page.py'), asRun(program));
      const from = ['--path', 'public.json', '--config', 'postroom.yaml'];
      const into = ['--meta', 'none', '--output-path', 'postroom_public_api_client'];
      const strictly = ['--fail-on-warning', '--overwrite'];
      ran(
        folder,
        'python3',
        ...['-m', 'openapi_python_client', 'generate'],
        ...from,
        ...into,
        ...strictly,
      );
      loadedWhole(folder, 'postroom_public_api_client');
      return ['python3', 'page.py'];
    },
  },
  {
    name: 'openapi-generator for Python',
    missing: python.missing ?? java,
    make: (folder) => {
      openApiGenerated(folder, 'python');
      loadedWhole(folder, 'openapi_client');
      return ['python3', 'by_openapi_generator.py'];
    },
  },
  {
    name: 'openapi-generator for Java',
    missing: java,
    make: (folder) => {
      openApiGenerated(folder, 'java');
      renameSync(join(folder, 'java/Send.java'), join(folder, 'src/main/java/Send.java'));
      const classPath = ['dependency:build-classpath', '-Dmdep.outputFile=classpath.txt'];
      ran(folder, 'mvn', '-q', '-B', 'compile', ...classPath);
      const jars = readFileSync(join(folder, 'classpath.txt'), 'utf8').trim();
      return ['java', '-cp', `target/classes:${jars}`, 'Send'];
    },
  },
  {
    name: 'oapi-codegen',
    missing: lacking(['go', 'version']),
    make: (folder) => {
      mkdirSync(join(folder, 'go/postroom'));
      const tool = `github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${oapiCodegen}`;
      const inFolder = ['-C', 'go'];
      const config = ['--config', '../oapi-codegen.yaml', '../public.json'];
      ran(folder, 'go', 'run', ...inFolder, tool, ...config);
      ran(folder, 'go', 'mod', 'tidy', ...inFolder);
      ran(folder, 'go', 'build', ...inFolder, '-o', '../send', '.');
      return ['./send'];
    },
  },
];

/** The linters: each throws with its complaints about a document, be they hints. */
export const linters: Readonly<Record<string, (folder: string, document: string) => unknown>> = {
  Spectral: (folder, document) =>
    nodeTool(folder, 'spectral', ...['lint', '-r', 'spectral.yaml', '-F', 'hint', document]),
  Redocly: (folder, document) =>
    nodeTool(folder, 'redocly', ...['lint', '--extends', 'recommended-strict', document]),
};
