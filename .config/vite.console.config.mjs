/**
 * Builds the page of the console: lib/console/ui → dist/console-ui. Its addresses are relative, so that any mount path
 * works.
 */
import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const folder = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export default defineConfig({
  root: folder('lib/console/ui'),
  base: './',
  logLevel: 'warn',
  plugins: [vue()],
  define: { __VUE_OPTIONS_API__: 'false', __VUE_PROD_DEVTOOLS__: 'false' },
  build: {
    outDir: folder('dist/console-ui'),
    emptyOutDir: true,
    target: 'es2022',
    // Neither inline scripts nor inlined data: the server's Content-Security-Policy knows files of its own only.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
});
