import Docker from 'dockerode';
import type { AttemptTrace } from './attempt-trace.ts';

const TIMEOUT_MS = 20_000;

/** Every container of attempts of these runners, also those that have ended. */
export async function markedContainers(runnerIds: ReadonlySet<string>): Promise<AttemptTrace[]> {
  const docker = new Docker({ timeout: TIMEOUT_MS });
  const filters = { label: ['switchyard.service=switchyard'] };
  const listed = await docker.listContainers({ all: true, filters });
  return listed.flatMap(({ Id, Labels, State, Names }) => {
    const runnerId = Labels['switchyard.runner_id'] ?? '';
    const attemptId = Labels['switchyard.attempt'] ?? '';
    if (!runnerIds.has(runnerId)) return [];
    return {
      attemptId,
      lease: `${attemptId}-${Labels['switchyard.epoch'] ?? ''}-${runnerId}`,
      isEngine: Labels['switchyard.role'] === 'engine',
      isRunning: State === 'running',
      words: `container ${Names[0] ?? Id} ${State}`,
      livesOn: () => isRunning(docker, Id),
    };
  });
}

async function isRunning(docker: Docker, id: string): Promise<boolean> {
  try {
    return (await docker.getContainer(id).inspect()).State.Running;
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return false;
    throw error;
  }
}
