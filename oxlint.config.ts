import { defineConfig } from 'oxlint';
import { constraints } from './tools/walls/rooms.mjs';

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
const boundaries = (also: string[] = []) => [
  'error',
  {
    depConstraints: constraints({ also }),
    banTransitiveDependencies: true,
    enforceBuildableLibDependency: true,
  },
];

const errors = (...rules: string[]) => Object.fromEntries(rules.map((rule) => [rule, 'error']));

const nodeGlobals = [
  'console',
  'fetch',
  'File',
  'Headers',
  'module',
  'performance',
  'process',
  'require',
  'setInterval',
  'setTimeout',
  'URL',
];

/** The sets that ESLint and typescript-eslint call recommended and strict, with types. */
export default defineConfig({
  plugins: ['eslint', 'typescript', 'react'],
  jsPlugins: ['./tools/walls/plugin.mjs', '@nx/oxlint/boundaries-plugin'],
  categories: { correctness: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: [
    ...['**/dist/', '**/out-tsc/', '**/coverage/', '.nx/', 'var/', 'tools/walls/fixtures/'],
    // Written from the table of operations.
    ...['libs/sdk/src/generated.ts', 'apps/cli/src/generated.ts'],
    // Compiled by others, and some of its lines must not compile.
    'apps/e2e/generators/sdk.mts',
  ],
  rules: {
    // These two are stricter than the house. A DTO may be an object literal.
    'typescript/no-misused-spread': 'off',
    'typescript/require-array-sort-compare': 'off',
    'postroom/whole-sentences': 'error',
    ...errors(
      'no-case-declarations',
      'no-empty',
      'no-fallthrough',
      'no-prototype-builtins',
      'no-regex-spaces',
      'no-unexpected-multiline',
      'no-useless-assignment',
      'preserve-caught-error',
    ),
  },
  overrides: [
    {
      files: ['**/*.{js,mjs,cjs}'],
      globals: Object.fromEntries(nodeGlobals.map((name) => [name, 'readonly'])),
      rules: {
        ...errors('no-redeclare', 'no-undef'),
        // They need types, which plain JavaScript does not have.
        'typescript/await-thenable': 'off',
        'typescript/no-base-to-string': 'off',
        'typescript/restrict-template-expressions': 'off',
        'typescript/unbound-method': 'off',
      },
    },
    {
      files: ['apps/portal/assets/*.js'],
      env: { browser: true },
    },
    {
      files: ['**/*.{ts,tsx}'],
      rules: {
        '@nx/enforce-module-boundaries': boundaries(),
        'typescript/switch-exhaustiveness-check': [
          'error',
          { considerDefaultExhaustiveForUnions: true },
        ],
        complexity: ['error', 10],
        'max-lines': ['error', 400],
        'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
        'no-restricted-properties': [
          'error',
          {
            object: 'process',
            property: 'env',
            message: 'config.ts reads and checks the settings.',
          },
        ],
        'no-unused-vars': [
          'error',
          { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
        ],
        'typescript/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
        ...errors(
          'no-array-constructor',
          'no-console',
          'no-useless-constructor',
          'no-var',
          'prefer-const',
          'prefer-rest-params',
          'prefer-spread',
          'typescript/no-deprecated',
          'typescript/no-dynamic-delete',
          'typescript/no-empty-object-type',
          'typescript/no-explicit-any',
          'typescript/no-generated-empty-object-type',
          'typescript/no-misused-promises',
          'typescript/no-mixed-enums',
          'typescript/no-namespace',
          'typescript/no-non-null-asserted-nullish-coalescing',
          'typescript/no-non-null-assertion',
          'typescript/no-require-imports',
          'typescript/no-unnecessary-boolean-literal-compare',
          'typescript/no-unnecessary-condition',
          'typescript/no-unnecessary-template-expression',
          'typescript/no-unnecessary-type-assertion',
          'typescript/no-unnecessary-type-constraint',
          'typescript/no-unnecessary-type-conversion',
          'typescript/no-unnecessary-type-parameters',
          'typescript/no-unsafe-argument',
          'typescript/no-unsafe-assignment',
          'typescript/no-unsafe-call',
          'typescript/no-unsafe-enum-assignment',
          'typescript/no-unsafe-enum-comparison',
          'typescript/no-unsafe-function-type',
          'typescript/no-unsafe-member-access',
          'typescript/no-unsafe-return',
          'typescript/only-throw-error',
          'typescript/prefer-literal-enum-member',
          'typescript/prefer-promise-reject-errors',
          'typescript/prefer-reduce-type-parameter',
          'typescript/prefer-return-this-type',
          'typescript/related-getter-setter-pairs',
          'typescript/unified-signatures',
          'typescript/use-unknown-in-catch-callback-variable',
        ),
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
        '@nx/enforce-module-boundaries': boundaries(['local', 'testing', 'service-testing']),
        // `expect(port.method)` is not a call.
        'typescript/unbound-method': 'off',
      },
    },
    {
      files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
      excludeFiles: [
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
      rules: {
        // A component is a function, with its markup.
        'max-lines-per-function': ['error', { max: 120, skipBlankLines: true, skipComments: true }],
        'typescript/no-misused-promises': [
          'error',
          { checksVoidReturn: { attributes: false, properties: false } },
        ],
        'no-restricted-imports': ['error', { patterns: [typesAlone, noNode] }],
        ...errors('react/rules-of-hooks', 'react/unsupported-syntax'),
      },
    },
    {
      files: contracts,
      excludeFiles: specs,
      rules: { 'no-restricted-imports': ['error', { patterns: [noIo] }] },
    },
    {
      files: contracts,
      excludeFiles: ['libs/contracts/src/fields/**', ...specs],
      rules: {
        'postroom/field-decorators': 'error',
        'no-restricted-imports': ['error', { patterns: [noIo, noValidator] }],
      },
    },
    // It reads the files of the examples, when somebody asks for a document.
    {
      files: ['libs/contracts/src/openapi/examples.ts'],
      rules: { 'no-restricted-imports': 'off' },
    },
  ],
});
