import { fileURLToPath } from 'node:url';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';
import { compressFiles } from './compress-files.ts';
import { listPackages } from './list-packages.ts';

const packages = listPackages(fileURLToPath(new URL('..', import.meta.url)));

export default defineConfig({
  plugins: [preact({ devToolsEnabled: false }), compressFiles(), packages.pages],
  worker: { plugins: () => [packages.workers] },
  resolve: {
    alias: {
      // Its file for browsers asks the page for names, which a worker has not got.
      'decode-named-character-reference': fileURLToPath(
        import.meta.resolve('decode-named-character-reference'),
      ),
      react: 'preact/compat',
      'react-dom': 'preact/compat',
      'react/jsx-runtime': 'preact/jsx-runtime',
    },
  },
  // The policy forbids data: scripts and the bundle is cached for good, so nothing is inlined.
  build: {
    // Browsers with nesting, light-dark() and modern iterators: nothing is lowered for older ones.
    target: ['chrome125', 'edge125', 'firefox131', 'safari18.4'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The explorer is one file of this size and loaded by its own page only.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: { index: 'index.html', explorer: 'src/explorer/explorer.ts' },
      // The API's own page names this file, so its name never changes.
      output: {
        entryFileNames: ({ name }) =>
          name === 'explorer' ? 'explorer/explorer.js' : 'assets/[name]-[hash].js',
      },
    },
  },
  server: { host: '127.0.0.1', proxy: { '/api': 'http://127.0.0.1:4000' } },
});
