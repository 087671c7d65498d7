/** Stands for the engine's home folder: a simulated engine has no files. */
export type EngineHome = { path: string; sessionsFolder: string; keptPath: string };

export function homePathOf(dataDir: string, ref: { attemptId: string; epoch: number }): string {
  return `${dataDir}/homes/${ref.attemptId}-${ref.epoch}`;
}

export async function createEngineHome(_home: EngineHome, _options: unknown): Promise<void> {
  return undefined;
}

export async function closeEngineHome(_home: EngineHome): Promise<void> {
  return undefined;
}
