import { buildPrograms } from '../../../control-plane/cli/build/build-programs.mjs';
import { inTests } from './in-tests.ts';

/** Vitest's global set-up: tests start the programs as users do, from dist/. */
export default async function setup(): Promise<void> {
  await inTests(buildPrograms);
}
