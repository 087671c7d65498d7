import { describe, expect, it } from 'vitest';
import { mergeConfig } from '../../overlay/merge-config.ts';

const ANTHROPIC = { name: 'anthropic', baseUrl: 'https://models.example/v1', wireApi: 'messages' };
const account = (name: string, provider: object = ANTHROPIC) => ({
  name,
  provider: { ...provider, apiKey: `$SECRET:${name.toUpperCase()}` },
});
const opus = { name: 'claude/opus', engine: 'claude', model: 'opus', account: 'team' };

/** What is wrong with `engine.*`, as `path: message`. */
function problems(engine: object): string[] {
  const merged = mergeConfig([{ engine }]);
  return merged.ok ? [] : merged.errors.map(({ path, message }) => `${path}: ${message}`);
}

describe('the choices of engines', () => {
  it('take several accounts of a provider, rules and chains', () => {
    const engine = {
      accounts: [account('team'), account('own')],
      choices: [opus, { ...opus, name: 'claude/own', account: 'own' }],
      rules: [{ labels: ['hard'], use: 'claude/opus', failover: ['claude/own'] }],
      failover: ['default', 'claude/opus', 'claude/own'],
    };
    expect(problems(engine)).toEqual([]);
  });

  it('refuse names that nothing has, at the place where they stand', () => {
    expect(
      problems({
        choices: [opus],
        rules: [{ use: 'nobody' }, { failover: ['default', 'nowhere'] }],
        failover: ['nothing'],
      }),
    ).toEqual([
      'engine.choices.0.account: no account is named team',
      'engine.rules.0.use: no choice is named nobody',
      'engine.rules.1.failover.1: no choice is named nowhere',
      'engine.failover.0: no choice is named nothing',
    ]);
  });

  it('refuse a second entry of a name, and a chain that leads back to itself', () => {
    const twice = { accounts: [account('team'), account('team')], choices: [opus, opus] };
    expect(problems(twice)).toEqual([
      'engine.accounts.1.name: an account is named team already',
      'engine.choices.1.name: a choice is named claude/opus already',
    ]);
    const around = ['default', 'claude/opus', 'default'];
    expect(problems({ accounts: [account('team')], choices: [opus], failover: around })).toEqual([
      'engine.failover.2: default is in the chain already',
    ]);
    expect(problems({ choices: [{ ...opus, name: 'default' }] })[0]).toContain('stands for');
  });

  it('refuse a provider whose format the engine does not speak, and let unknown engines be', () => {
    const chat = { ...ANTHROPIC, wireApi: 'chat' };
    const accounts = [account('team', chat)];
    expect(problems({ accounts, choices: [opus] })).toEqual([
      'engine.choices.0.engine: wireApi of the account team must be "messages": the agent engine claude does not speak "chat"',
    ]);
    expect(problems({ accounts, choices: [{ ...opus, engine: 'our-own' }] })).toEqual([]);
    const [own] = problems({ name: 'claude' });
    expect(own).toContain('engine.provider.wireApi: must be "messages"');
  });

  it('take keys of accounts only as references to secrets', () => {
    const provider = { ...ANTHROPIC, apiKey: 'sk-literal' };
    expect(problems({ accounts: [{ name: 'team', provider }] })).toEqual([
      'engine.accounts.0.provider.apiKey: must be $SECRET:NAME',
    ]);
    expect(problems({ rules: [{ labels: ['x'] }] })).toEqual([
      'engine.rules.0: needs use or failover',
    ]);
  });
});
