import { rolldown } from 'rolldown';
import { englishOnly } from './english-only.mjs';

/**
 * Bundles the Worker into `<folder>/worker/worker.js`.
 *
 * @param {string} root absolute path of the checkout
 * @param {string} folder absolute path of the package's folder
 * @param {string} commit see buildCommit
 * @returns {Promise<string[]>} paths of all bundled modules
 */
export async function bundleWorker(root, folder, commit) {
  const bundle = await rolldown({
    cwd: root,
    input: { worker: 'control-plane/src/platform/workers/worker.ts' },
    platform: 'browser',
    external: [/^cloudflare:/, /^node:/],
    resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import'] },
    transform: {
      define: {
        'process.env.NODE_ENV': '"production"',
        SWITCHYARD_COMMIT: JSON.stringify(commit),
      },
    },
    plugins: [englishOnly()],
  });
  try {
    const { output } = await bundle.write({
      dir: `${folder}/worker`,
      format: 'esm',
      sourcemap: true,
      minify: true,
      codeSplitting: false,
      entryFileNames: '[name].js',
    });
    return output.flatMap((file) => (file.type === 'chunk' ? Object.keys(file.modules) : []));
  } finally {
    await bundle.close();
  }
}
