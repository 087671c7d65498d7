import { buildDashboard } from '../../../control-plane/cli/build/build-dashboard.mjs';
import { inTests } from '../house/in-tests.ts';

/** Builds dashboard/dist unless it is newer than its sources; one build however many ask at once. */
export async function builtDashboard(): Promise<void> {
  await inTests(buildDashboard);
}
