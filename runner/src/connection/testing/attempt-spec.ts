import type { AttemptSpec } from '@switchyard/shared/protocol/attempt-spec';

/** A complete spec for tests, with limits that never strike by themselves. */
export function testSpec(change: Partial<AttemptSpec> = {}): AttemptSpec {
  return {
    attemptId: 'att_00000001',
    number: 1,
    issue: {
      id: 'iss_1',
      identifier: 'SY-1',
      title: 'Fix it',
      description: null,
      url: null,
      labels: [],
    },
    repository: { url: 'file:///nowhere' },
    prompt: 'Fix it.',
    continuationPrompt: 'Go on.',
    checkpoints: { pushWorkInProgress: false, uploadSession: false },
    engine: {
      name: 'codex',
      model: 'scripted',
      provider: { name: 'test', baseUrl: 'http://127.0.0.1:1/v1', wireApi: 'responses' },
    },
    sandbox: { memoryBytes: 2 ** 32, cpus: 2, pids: 512, tmpfsBytes: 2 ** 28 },
    limits: {
      maxTurns: 3,
      turnStallMs: 0,
      agentStallMs: 0,
      attemptMs: 0,
      requestMs: 60_000,
      hookMs: 10_000,
    },
    hooks: {},
    commit: { name: 'Agent', email: 'agent@example.test', sign: false },
    ...change,
  };
}
