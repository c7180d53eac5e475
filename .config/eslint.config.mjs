import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import jest from 'eslint-plugin-jest';
import regexp from 'eslint-plugin-regexp';
import vue from 'eslint-plugin-vue';
import tseslint from 'typescript-eslint';
import vueParser from 'vue-eslint-parser';

const NO_ENUM = { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' };

/** A busy machine takes any time for anything. */
const NO_TIMED_TEST = [
  {
    selector:
      'CallExpression[callee.property.name=/^toBe(Less|Greater)Than/] ' +
      'CallExpression[callee.object.name=/^(Date|performance)$/][callee.property.name="now"]',
    message: 'Assert what happens, in which order or how often, or let the test move the time (ManualClock).',
  },
  ...['[callee.name="test"]', '[callee.callee.object.name="test"]'].map((ofTest) => ({
    selector: `CallExpression${ofTest}[arguments.length=3]`,
    message: 'A test has no deadline of its own: what it waits for has one (test/support/until.ts).',
  })),
];

/** For all TypeScript, in components too: rules that need no types. */
const WITHOUT_TYPES = {
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  '@typescript-eslint/no-non-null-assertion': 'error',
  'no-restricted-syntax': ['error', NO_ENUM],
};

export default tseslint.config(
  { ignores: ['dist/**', 'coverage/**', 'node_modules/**', '**/*.cjs', '**/target/**'] },
  js.configs.recommended,
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'AbortSignal',
          'clearTimeout',
          'console',
          'fetch',
          'performance',
          'process',
          'setTimeout',
          'URL',
          'setImmediate',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: new URL('..', import.meta.url).pathname,
      },
    },
    rules: {
      ...WITHOUT_TYPES,
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^\\./index\\.js$', message: 'Inside a folder never import its index.' }] },
      ],
    },
  },
  {
    files: ['**/*.vue'],
    extends: [...tseslint.configs.recommended, ...vue.configs['flat/recommended']],
    // Without types: vue-tsc checks those, and a program of the components would make linting much slower.
    languageOptions: { parser: vueParser, parserOptions: { parser: tseslint.parser } },
    rules: {
      ...WITHOUT_TYPES,
      // TypeScript knows the names of the browser and of the compiler's macros.
      'no-undef': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': ['error', ['script-setup']],
      'vue/define-emits-declaration': 'error',
      'vue/define-props-declaration': 'error',
      'vue/define-macros-order': 'error',
      'vue/eqeqeq': 'error',
      'vue/no-unused-emit-declarations': 'error',
      'vue/no-unused-refs': 'error',
      'vue/no-useless-v-bind': 'error',
      'vue/prefer-true-attribute-shorthand': 'error',
    },
  },
  {
    // Patterns read texts of others: their time must grow with the length of the text, not with its square.
    files: ['lib/**/*.ts', 'lib/**/*.vue'],
    plugins: { regexp },
    rules: { 'regexp/no-super-linear-backtracking': 'error', 'regexp/no-super-linear-move': 'error' },
  },
  {
    files: ['lib/**/*.ts'],
    // The page uses the browser's own time.
    ignores: ['lib/time/**', 'lib/console/ui/**'],
    rules: {
      'no-restricted-globals': ['error', 'setTimeout', 'setInterval', 'setImmediate'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is a port: use Clock.' },
        { object: 'process', property: 'exit', message: 'The process belongs to the application.' },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['test/**/*.ts'],
    plugins: { jest },
    rules: {
      ...jest.configs['flat/recommended'].rules,
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect*', '**.expect*', 'until*'] }],
      'no-restricted-properties': [
        'error',
        { object: 'fc', property: 'assert', message: 'Use expectProperty, whose seed is fixed and can be set.' },
      ],
      'jest/no-conditional-expect': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Those that `npm test` runs.
    files: ['test/**/*.ts'],
    ignores: ['test/campaigns/interop/**', 'test/console/page/**', 'test/databases/**'],
    rules: { 'no-restricted-syntax': ['error', NO_ENUM, ...NO_TIMED_TEST] },
  },
  {
    // Each is called by a test of its own.
    files: ['test/docs/checks/**/*.ts'],
    rules: { 'jest/no-standalone-expect': 'off' },
  },
  prettier,
  {
    // Prettier wraps code, and leaves comments alone. Diagrams and tables in comments are as wide as they must be.
    files: ['**/*.ts', '**/*.mjs', '**/*.vue'],
    rules: {
      'max-len': [
        'error',
        { code: 1_000, comments: 120, ignoreUrls: true, ignorePattern: '[─│┌└├▶]|^ *\\* \\||  \\S|eslint-' },
      ],
    },
  },
);
