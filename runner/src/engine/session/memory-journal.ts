import type { EngineJournal } from '../agent-engine.ts';

/** A journal of a session that no other process continues. */
export function memoryJournal(): EngineJournal {
  let saved: ReturnType<EngineJournal['load']> = null;
  return {
    load: () => structuredClone(saved),
    save: (state) => {
      saved = structuredClone(state);
    },
  };
}
