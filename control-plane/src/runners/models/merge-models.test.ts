import { describe, expect, it } from 'vitest';
import { mergeModels } from './merge-models.ts';

const known = (id: string) => ({
  id,
  name: id.toUpperCase(),
  description: 'd',
  reasoningEfforts: ['low'],
});

describe('the models that agents can be given', () => {
  it('are those of engine and provider together, the one in use first', () => {
    const found = { data: [known('a'), known('b')], provider: ['b', 'c', 'c'] };
    const models = mergeModels(found, 'b');
    expect(models.map(({ id, sources, isDefault }) => [id, sources, isDefault])).toEqual([
      ['b', ['engine', 'provider'], true],
      ['a', ['engine'], false],
      ['c', ['provider'], false],
    ]);
    expect(models[0]).toMatchObject({ name: 'B', reasoningEfforts: ['low'] });
  });

  it('are the engine’s alone when the provider gives no list', () => {
    expect(mergeModels({ data: [known('a')], provider: null }, 'x')).toEqual([
      { ...known('a'), sources: ['engine'], isDefault: false },
    ]);
  });
});
