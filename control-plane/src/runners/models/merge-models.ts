import type { Model } from '@switchyard/shared/api/work/model';
import type { EngineModels } from '@switchyard/shared/protocol/engine-operations';

/**
 * One entry for each model id: the default model first, then the engine's order, then the
 * provider's.
 */
export function mergeModels(found: EngineModels, defaultId: string): Model[] {
  const offered = new Set(found.provider);
  const known = new Set(found.data.map(({ id }) => id));
  const fromEngine = found.data.map((model): Model => ({
    ...model,
    sources: offered.has(model.id) ? ['engine', 'provider'] : ['engine'],
    isDefault: model.id === defaultId,
  }));
  const fromProvider = [...offered]
    .filter((id) => !known.has(id))
    .map((id): Model => ({
      id,
      name: id,
      description: '',
      reasoningEfforts: [],
      sources: ['provider'],
      isDefault: id === defaultId,
    }));
  const all = [...fromEngine, ...fromProvider];
  return all.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
}
