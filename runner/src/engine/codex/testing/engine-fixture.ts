import { startScriptedProvider } from '../../../../../control-plane/scripted-provider/scripted-provider.ts';
import type {
  Script,
  ScriptedProvider,
} from '../../../../../control-plane/scripted-provider/scripted-provider.ts';
import { openBench } from '../../testing/engine-bench.ts';
import type { Bench, BenchOptions } from '../../testing/engine-bench.ts';
import { quickEngine } from './quick-engine.ts';

/** A provider and engines that all end with `dispose`, the last one first. */
export type EngineFixture = {
  start(
    script: Script,
    options?: Partial<BenchOptions>,
  ): Promise<{ bench: Bench; provider: ScriptedProvider }>;
  onDispose(clean: () => Promise<void> | void): void;
  dispose(): Promise<void>;
};

export function engineFixture(): EngineFixture {
  const cleanups: (() => Promise<void> | void)[] = [];
  return {
    start: async (script, options = {}) => {
      const provider = await startScriptedProvider({ script });
      cleanups.push(() => provider.close());
      const bench = await openBench({
        engine: quickEngine,
        providerUrl: provider.url,
        ...options,
      });
      cleanups.push(() => bench.dispose());
      return { bench, provider };
    },
    onDispose: (clean) => {
      cleanups.push(clean);
    },
    dispose: async () => {
      for (const clean of cleanups.splice(0).toReversed()) await clean();
    },
  };
}
