import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingTestProject } from '../../control-plane/scripted-provider/failing-test-project.ts';
import { fixFailingTest } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { blocked, byPrompt, commitsItself, noMarker } from '../support/scripted-model/scripts.ts';
import { startScriptedProvider } from '../../control-plane/scripted-provider/scripted-provider.ts';
import { fail } from '../support/scripted-model/faults.ts';
import { makeRepository } from '../support/e2e/git-repository.ts';
import { type RunningService, startService } from '../support/e2e/start-service.ts';

const READY_TIMEOUT_MS = 120_000;

/** A service as people run it, limits included, with work that a script can do. */
export type SoakWorld = {
  folder: string;
  repositoryUrl: string;
  service: RunningService;
  close(keep: boolean): Promise<void>;
};

/** Kinds of work by the word in an issue's title that asks for them; any other title is repaired. */
export const WORK_KINDS = ['repair', 'case-commits', 'case-blocked', 'case-goes-on', 'case-fails'];

/** Starts everything in a temporary folder, the service with `env` beside what this process has. The caller closes it; a failed start leaves nothing. */
export async function startSoakWorld(env: Record<string, string> = {}): Promise<SoakWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'swy-soak-'));
  const apiKey = 'soak-key-of-the-provider';
  const scripts = [
    { match: 'case-commits', script: commitsItself },
    { match: 'case-blocked', script: blocked },
    { match: 'case-goes-on', script: noMarker },
    { match: 'case-fails', script: () => fail(400) },
  ];
  const provider = await startScriptedProvider({ script: byPrompt(scripts, fixFailingTest()) });
  let service: RunningService | null = null;
  const close = async (keep: boolean) => {
    await service?.kill();
    await provider.close();
    if (keep) await writeFile(join(folder, 'service.log'), service?.output() ?? '');
    else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    const repository = await makeRepository(folder, 'project', { files: failingTestProject });
    service = await startService({
      dataDir: join(folder, 'data'),
      args: ['--sandbox', 'process', '--slots', '2'],
      config: {
        'engine.model': 'scripted-model',
        'engine.provider.name': 'scripted',
        'engine.provider.baseUrl': provider.url,
        'engine.provider.apiKey': apiKey,
        'agent.maxContinuationAttempts': 1,
        'agent.maxTurns': 2,
        'agent.retryBaseMs': 500,
      },
      env,
      readyTimeoutMs: READY_TIMEOUT_MS,
    });
    return { folder, repositoryUrl: repository.url, service, close };
  } catch (error) {
    await close(false);
    throw error;
  }
}
