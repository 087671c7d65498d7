import type { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { ReadyScript } from '../../control-plane/scripted-provider/ready-scripts.ts';
import { byPrompt } from '../support/scripted-model/scripts.ts';
import { type Bench, startBench } from '../support/e2e/start-bench.ts';

/** An engine with what it is asked through here. */
export type EngineUnderTest = { name: string; wireApi: WireApi };

/** A service with Docker attempts of one engine, and the scripts of its issues by their titles. */
export type EngineWorld = {
  engine: EngineUnderTest;
  /** Sandbox image that has the engine. */
  image: string;
  bench: Bench;
  /** Issues whose prompt has `title` are answered by `script`. */
  plan(title: string, script: ReadyScript): void;
  close(): Promise<void>;
};

/** Silence of a turn after which it is given up; the usual 5 minutes would be long to wait for. */
const STALL_MS = 30_000;

/** Starts the service. The caller closes the world, also after a cell that failed. */
export async function openEngineWorld(
  engine: EngineUnderTest,
  options: { image: string },
): Promise<EngineWorld> {
  const scripts: { match: string; script: ReadyScript }[] = [];
  // Cells follow each other, and an engine that shortens a conversation leaves its prompt out.
  const otherwise: ReadyScript = (request) => {
    const [newest] = scripts;
    if (newest === undefined) throw new Error('nothing is planned yet');
    return newest.script(request);
  };
  const bench = await startBench({
    script: (request) => byPrompt(scripts, otherwise)(request),
    sandbox: 'docker',
    slots: 1,
    flags: ['--image', options.image],
    config: {
      'engine.name': engine.name,
      'engine.provider.wireApi': engine.wireApi,
      'engine.stallTimeoutMs': STALL_MS,
      'agent.maxContinuationAttempts': 1,
      'agent.retryBaseMs': 300,
    },
  });
  return {
    engine,
    image: options.image,
    bench,
    plan: (title, script) => {
      scripts.unshift({ match: title, script });
    },
    close: () => bench.close(),
  };
}
