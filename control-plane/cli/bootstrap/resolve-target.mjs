import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BootstrapError } from './bootstrap-error.mjs';
import { serviceEnvironment, serviceNodeOptions } from './service-node-options.mjs';

/** The bundled command line, built from control-plane/cli/switchyard.ts. */
const commandLine = 'dist/lib/switchyard.js';

/**
 * Development targets: script and leading arguments. All other names are commands of the command
 * line.
 */
const tools = {
  test: ['test/support/suites/test-command.ts'],
  'test:all': ['test/support/suites/test-all-command.ts'],
  'test:redteam': ['test/support/suites/test-command.ts', '--project', 'redteam'],
  'test:hosts': ['test/support/suites/test-command.ts', '--project', 'hosts'],
  'test:e2e': ['test/e2e/e2e.ts'],
  'test:webhooks': ['test/chaos/webhooks.ts'],
  'test:live': ['test/live/live.ts'],
  verify: ['test/support/house/verify.ts'],
  bench: ['test/bench/bench.ts'],
  simulate: ['test/simulation/simulate.ts'],
  chaos: ['test/chaos/chaos.ts'],
  overnight: ['test/overnight/overnight.ts'],
  conformance: ['test/contracts/conformance/conformance.ts'],
  engines: ['test/engines/engines.ts'],
  soak: ['test/soak/soak.ts'],
  screenshots: ['test/browser/screenshots.ts'],
  'docs:build': ['docs/site/build-site.ts'],
  'docs:diagrams': ['docs/site/render-diagrams.ts'],
  format: ['node_modules/oxfmt/bin/oxfmt'],
  'sandbox:build': ['runner/src/main.ts', 'build-image'],
  'db:generate': [
    'node_modules/drizzle-kit/bin.cjs',
    'generate',
    '--config',
    'control-plane/drizzle.config.ts',
  ],
  'db:fixture': ['test/support/upgrades/write-fixture.ts'],
  package: ['control-plane/cli/build/package-command.mjs'],
  images: ['control-plane/cli/images/build-images.ts'],
  'lock:complete': ['control-plane/cli/bootstrap/complete-lock.mjs'],
};

// Early versions of Node 24 print a warning for every .ts file they run.
const nodeOptions = ['--disable-warning=ExperimentalWarning'];

/** Tools that start the product as users do, from the build, so the product is built first. */
const startsProduct = new Set([
  'test:e2e',
  'test:webhooks',
  'bench',
  'chaos',
  'engines',
  'overnight',
  'soak',
  'screenshots',
]);

const services = new Set(['start', 'demo']);
const withDashboard = new Set(['start', 'demo', 'deploy', 'edge', 'build', 'package']);
/**
 * Whether the command runs on the toolchain's Node, which agent engines written in JavaScript need.
 */
const onToolchain = (name, args) =>
  name === 'demo' && args.some((word) => /^--engine(=|$)/.test(word));

/**
 * Resolves a script name to the program behind it.
 *
 * @param {string} root absolute path of the checkout
 * @param {string[]} argv name and arguments, for example `['demo', '--once']`
 * @returns {{ args: string[], cwd: string, env: Record<string, string>, isProduct: boolean,
 *   printsJson?: boolean, needsPrograms: boolean, needsDashboard: boolean }} arguments for Node,
 *   and defaults for variables of its environment; with `isProduct` any Node that can build the
 *   product runs it
 */
export function resolveTarget(root, [name = '--help', ...rest]) {
  const needsDashboard = withDashboard.has(name) && !rest.includes('--help');
  if (name === 'build') {
    const args = ['-p', JSON.stringify(join(root, 'dist'))];
    return { args, cwd: root, env: {}, isProduct: true, needsPrograms: true, needsDashboard };
  }
  if (Object.hasOwn(tools, name)) {
    const [script, ...leading] = tools[name];
    const args = [...nodeOptions, scriptPath(root, script), ...leading, ...rest];
    const needsProduct = startsProduct.has(name) && !rest.includes('--help');
    return {
      args,
      cwd: root,
      env: {},
      isProduct: false,
      needsPrograms: needsProduct,
      needsDashboard: needsDashboard || needsProduct,
    };
  }
  const preload = new URL('./signals-once.mjs', import.meta.url).href;
  const options = services.has(name) ? serviceNodeOptions() : [];
  return {
    args: [...options, '--import', preload, join(root, commandLine), name, ...rest],
    cwd: process.cwd(),
    env: { SWITCHYARD_CHECKOUT: root, ...(services.has(name) ? serviceEnvironment : {}) },
    isProduct: !onToolchain(name, rest),
    printsJson: rest.slice(0, [...rest, '--'].indexOf('--')).includes('--json'),
    needsPrograms: true,
    needsDashboard,
  };
}

function scriptPath(root, path) {
  const script = join(root, path);
  const inModules = path.startsWith('node_modules/');
  if (!inModules && !existsSync(script)) throw new BootstrapError(`${path} does not exist`, 2);
  return script;
}
