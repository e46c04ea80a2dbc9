import js from '@eslint/js';
import nx from '@nx/eslint-plugin';
import hooks from 'eslint-plugin-react-hooks';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { fieldDecorators } from './tools/walls/field-decorators.mjs';
import { ownedLimits } from './tools/walls/owned-limits.mjs';
import { constraints } from './tools/walls/rooms.mjs';
import { wholeSentences } from './tools/walls/whole-sentences.mjs';

/** Specs, and what only they use. */
const specs = ['**/*.spec.ts', '**/src/testing/**/*.ts'];

const contracts = ['libs/contracts/src/**/*.ts'];
const noIo = {
  regex: '^(node:)?(fs|https?|http2|net|tls|dns|dgram|child_process|worker_threads)(/|$)',
  message: 'Contracts say what can be said; they do no I/O.',
};
const typesAlone = {
  group: ['@postroom/*'],
  allowTypeImports: true,
  message: 'A value of contracts would bring decorators and class-validator into the page.',
};
const noNode = { group: ['node:*'], message: 'The console runs in a browser.' };
const noValidator = {
  group: ['class-validator'],
  message: 'Only fields/ knows how a field is validated.',
};

/** Needs Nx's project graph on disk: without one it passes everything, so `npm run lint` makes it. */
const boundaries = (depConstraints) => [
  'error',
  { depConstraints, banTransitiveDependencies: true, enforceBuildableLibDependency: true },
];

const postroom = {
  rules: {
    'field-decorators': fieldDecorators,
    'owned-limits': ownedLimits,
    'whole-sentences': wholeSentences,
  },
};

const defaultCounts = { considerDefaultExhaustiveForUnions: true };
const nodeGlobals = [
  'console',
  'fetch',
  'module',
  'performance',
  'process',
  'setInterval',
  'setTimeout',
  'URL',
];

export default defineConfig(
  { ignores: ['**/dist/', '**/out-tsc/', '**/coverage/', '.nx/', 'var/', 'tools/walls/fixtures/'] },
  // Written from the table of operations.
  { ignores: ['libs/sdk/src/generated.ts', 'apps/cli/src/generated.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['**/*.{ts,tsx,mjs,cjs}'],
    plugins: { postroom },
    rules: { 'postroom/whole-sentences': 'error' },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { '@nx': nx, postroom },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(constraints()),
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', defaultCounts],
      complexity: ['error', 10],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'config.ts reads and checks the settings.' },
      ],

      // Rules of the strict set that are stricter than the house. A DTO may be an object literal.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unnecessary-type-arguments': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },
  { files: ['apps/postroom/src/banner.ts'], rules: { 'no-console': 'off' } },
  { files: ['**/config.ts', ...specs], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['**/migrations/**', ...specs],
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off' },
  },
  {
    files: specs,
    rules: {
      '@nx/enforce-module-boundaries': boundaries(
        constraints({ also: ['local', 'testing', 'service-testing'] }),
      ),
      // `expect(port.method)` is not a call.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: [
      ...specs,
      'apps/console/**',
      'libs/limits/**',
      'apps/{bench,e2e}/**',
      'libs/{local,testing,service-testing}/**',
    ],
    rules: { 'postroom/owned-limits': 'error' },
  },
  {
    files: ['apps/console/src/**/*.{ts,tsx}'],
    extends: [hooks.configs.flat['recommended-latest']],
    rules: {
      // A component is a function, with its markup.
      'max-lines-per-function': ['error', { max: 120, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: { attributes: false, properties: false } },
      ],
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-restricted-imports': ['error', { patterns: [typesAlone, noNode] }],
    },
  },
  {
    files: contracts,
    ignores: specs,
    rules: { 'no-restricted-imports': ['error', { patterns: [noIo] }] },
  },
  {
    files: contracts,
    ignores: ['libs/contracts/src/fields/**', ...specs],
    rules: {
      'postroom/field-decorators': 'error',
      'no-restricted-imports': ['error', { patterns: [noIo, noValidator] }],
    },
  },
  // It reads the files of the examples, when somebody asks for a document.
  { files: ['libs/contracts/src/openapi/examples.ts'], rules: { 'no-restricted-imports': 'off' } },
);
