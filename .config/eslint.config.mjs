import js from '@eslint/js';
import prettier from 'eslint-config-prettier/flat';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

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
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' }],
      'no-restricted-imports': [
        'error',
        { patterns: [{ regex: '^\\./index\\.js$', message: 'Inside a folder never import its index.' }] },
      ],
    },
  },
  {
    files: ['lib/**/*.ts'],
    // In a browser, time is no port.
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
    // Each is called by a test of its own.
    files: ['test/docs/checks/**/*.ts'],
    rules: { 'jest/no-standalone-expect': 'off' },
  },
  prettier,
);
