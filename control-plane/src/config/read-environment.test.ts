import { describe, expect, it } from 'vitest';
import { readEnvironment } from './read-environment.ts';

describe('readEnvironment', () => {
  it('gives values the type that their key asks for', () => {
    const { layer, problems } = readEnvironment({
      PATH: '/bin',
      SERVICE_CONFIG__agent__maxConcurrentAgents: '4',
      SERVICE_CONFIG__commit__sign: 'true',
      SERVICE_CONFIG__engine__provider__apiKey: '12345',
      SERVICE_CONFIG__tracker__required_labels: '["a","b"]',
      SERVICE_CONFIG__tracker__kind: 'local',
      SERVICE_CONFIG__tracker__states__review: 'Done',
      SERVICE_CONFIG__agent__maxConcurrentAgentsByState: '{"Todo": 1}',
      SERVICE_CONFIG__polling_interval_seconds: '2',
      SERVICE_CONFIG__codehost__github__token: 'ghp',
    });
    expect(problems).toEqual([]);
    expect(layer).toEqual({
      agent: { maxConcurrentAgents: 4, maxConcurrentAgentsByState: { Todo: 1 } },
      commit: { sign: true },
      engine: { provider: { apiKey: '12345' } },
      tracker: { requiredLabels: ['a', 'b'], kind: 'local', states: { review: 'Done' } },
      polling: { intervalMs: 2_000 },
      codehost: { github: { token: 'ghp' } },
    });
  });

  it('leaves out what it cannot use, and names it without its value', () => {
    const { layer, problems } = readEnvironment({
      SERVICE_CONFIG__agent__maxTurns: 'hunter2',
      SERVICE_CONFIG__agent__nope: 'hunter2',
      SERVICE_CONFIG____proto____x: 'hunter2',
      SERVICE_CONFIG__repos: '[{hunter2',
      SERVICE_CONFIG__webhook__webhookUrl: 'http://hunter2.example',
    });
    expect(layer).toEqual({});
    expect(problems.map(({ code }) => code).sort()).toEqual([
      'invalid_value',
      'invalid_value',
      'invalid_value',
      'unknown_key',
      'unknown_key',
    ]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('takes what only another layer completes, and refuses formats that nobody knows', () => {
    const wireApi = 'SERVICE_CONFIG__engine__provider__wireApi';
    expect(readEnvironment({ [wireApi]: 'chat' })).toEqual({
      layer: { engine: { provider: { wireApi: 'chat' } } },
      problems: [],
    });
    const { layer, problems } = readEnvironment({ [wireApi]: 'telegraph' });
    expect(layer).toEqual({});
    expect(problems).toMatchObject([{ message: expect.stringContaining('"responses"') }]);
  });

  it('takes the checks of a repository, and leaves out a list with one that is refused', () => {
    const route = {
      prefix: 'SY-',
      url: 'https://h/r',
      checks: [{ name: 'test', command: 'make' }],
    };
    const read = (repos: object[]) =>
      readEnvironment({ SERVICE_CONFIG__repos: JSON.stringify(repos) });
    expect(read([route])).toEqual({ layer: { repos: [route] }, problems: [] });
    const twice = { ...route, checks: [...route.checks, ...route.checks] };
    const { layer, problems } = read([twice]);
    expect(layer).toEqual({});
    expect(problems).toMatchObject([
      { code: 'invalid_value', message: expect.stringContaining('same name') },
    ]);
  });
});
