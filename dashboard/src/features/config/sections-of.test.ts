import { describe, expect, it } from 'vitest';
import { sectionsOf } from './sections-of.ts';

describe('settings of a schema', () => {
  it('are its leaves, each with the control that fits', () => {
    const [section] = sectionsOf({
      properties: {
        tracker: {
          description: 'The tracker.',
          properties: {
            kind: { type: 'string', enum: ['local', 'linear'] },
            prefix: { type: 'string', description: 'Prefix.' },
            turns: { type: 'integer', restart: 'service' },
            on: { type: 'boolean' },
            labels: { type: 'array', items: { type: 'string' } },
            rules: { type: 'array', items: { type: 'object' } },
            anything: {},
            states: {
              properties: { started: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
            },
          },
        },
      },
    });
    expect(section?.settings.map(({ path, kind }) => [path, kind])).toEqual([
      ['tracker.kind', 'choice'],
      ['tracker.prefix', 'text'],
      ['tracker.turns', 'number'],
      ['tracker.on', 'switch'],
      ['tracker.labels', 'lines'],
      ['tracker.rules', 'json'],
      ['tracker.anything', 'json'],
      ['tracker.states.started', 'text'],
    ]);
    expect(section?.settings[2]).toMatchObject({ whole: true, restart: 'service' });
    expect(section?.settings[7]).toMatchObject({ nullable: true });
  });

  it('have the example that the schema gives for them', () => {
    const rules = [{ name: 'many failures' }];
    const [section] = sectionsOf({
      properties: {
        alerts: { properties: { rules: { type: 'array', items: { type: 'object' } }, on: {} } },
      },
      examples: [{ agent: {} }, { alerts: { rules } }],
    });
    expect(section?.settings.map(({ example }) => example)).toEqual([rules, undefined]);
  });

  it('takes a section that is a value itself', () => {
    const sections = sectionsOf({ properties: { prompt: { type: 'string' } } });
    expect(sections[0]?.settings).toMatchObject([{ path: 'prompt', kind: 'text' }]);
  });
});
