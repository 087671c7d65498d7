#!/usr/bin/env node
// Every npm script starts here: on any Node from 20 up this finds or fetches the Node that the
// target needs, installs what the lock names, builds what the target runs, and then runs it.
// Standard output belongs to the target; this program prints to standard error, and only an error
// with --json to standard output.
import { BootstrapError } from './bootstrap/bootstrap-error.mjs';
import { buildDashboard } from './build/build-dashboard.mjs';
import { buildPrograms } from './build/build-programs.mjs';
import { installDependencies } from './bootstrap/install-dependencies.mjs';
import { InterruptedError, runTarget, watchSignals } from './bootstrap/run-step.mjs';
import { resolveTarget } from './bootstrap/resolve-target.mjs';
import { ensureBuilder, ensureToolchain } from './bootstrap/ensure-toolchain.mjs';
import { projectRoot } from './bootstrap/project-root.mjs';
import { beQuiet, say, saysNothing } from './bootstrap/say.mjs';

async function main(argv) {
  const signals = watchSignals();
  const target = resolveTarget(projectRoot, argv);
  if (target.printsJson) beQuiet();
  const toolchain = target.isProduct
    ? await ensureBuilder(projectRoot, signals)
    : await ensureToolchain(projectRoot, signals);
  await installDependencies(projectRoot, toolchain, signals);
  if (target.needsPrograms) await buildPrograms(projectRoot, toolchain, signals);
  if (target.needsDashboard) await buildDashboard(projectRoot, toolchain, signals);
  return runTarget(toolchain, target, signals);
}

/** The error as the JSON document that the command line prints with --json. */
function asDocument({ message, exitCode }) {
  return { error: message, exitCode };
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof InterruptedError) {
    process.exitCode = error.exitCode;
  } else if (error instanceof BootstrapError) {
    if (saysNothing()) process.stdout.write(`${JSON.stringify(asDocument(error))}\n`);
    else say(error.message, 'fatal');
    process.exitCode = error.exitCode;
  } else {
    throw error;
  }
}
