import { describe, expect, it } from 'vitest';
import { readBaseFile } from './base-file.ts';
import type { BaseLayer } from './base-file.ts';

function workflow(text: string | null, variables: Record<string, string> = {}): BaseLayer {
  return readBaseFile({ name: 'WORKFLOW.md', format: 'workflow', text }, variables);
}

function codes(layer: BaseLayer): string[] {
  return layer.problems.map((problem) => problem.code);
}

describe('readBaseFile', () => {
  it('reads front matter in the public format, CRLF included, and the trimmed prompt', () => {
    const layer = workflow(
      [
        '---',
        'tracker:',
        '  kind: linear',
        '  required_labels: [agent]',
        '  provider: { project_slug: web, api_key: $LINEAR_KEY }',
        'polling: { interval_ms: 30000 }',
        'agent: { max_concurrent_agents: 4, max_concurrent_agents_by_state: { Todo: 2 } }',
        'codex: { command: codex app-server, turn_timeout_ms: 60000, stall_timeout_ms: 70000 }',
        'hooks: { before_run: $HOME }',
        'server: { port: 4100 }',
        '---',
        '',
        '# Do {{ issue.title }}',
        '',
      ].join('\r\n'),
      { LINEAR_KEY: 'lin_1', HOME: '/root' },
    );
    expect(layer).toMatchObject({
      ok: true,
      problems: [],
      layer: {
        tracker: {
          kind: 'linear',
          requiredLabels: ['agent'],
          linear: { projectSlug: 'web', apiKey: 'lin_1' },
        },
        polling: { intervalMs: 30_000 },
        agent: {
          maxConcurrentAgents: 4,
          maxConcurrentAgentsByState: { Todo: 2 },
          stallTimeoutMs: 70_000,
        },
        engine: { command: 'codex app-server', stallTimeoutMs: 60_000 },
        hooks: { beforeRun: '$HOME' },
        prompt: '# Do {{ issue.title }}',
      },
    });
  });

  it('takes a file without front matter as the prompt', () => {
    expect(workflow('Fix it.\n---\nx: 1\n---')).toMatchObject({
      ok: true,
      layer: { prompt: 'Fix it.\n---\nx: 1\n---' },
    });
  });

  it.each([
    ['missing_workflow_file', null],
    ['workflow_parse_error', '---\na: [1\n---\n'],
    ['workflow_parse_error', '---\nagent: {}\n'],
    ['workflow_front_matter_not_a_map', '---\n- 1\n---\n'],
    ['invalid_value', '---\nagent: { max_turns: many }\n---\n'],
    ['invalid_value', '---\n__proto__: { polluted: 1 }\n---\n'],
  ])('answers %s and blocks dispatch', (code, text) => {
    const layer = workflow(text);
    expect(layer.ok).toBe(false);
    expect(layer.problems).toMatchObject([{ code, severity: 'error', blocksDispatch: true }]);
  });

  it('warns about unknown keys and unset variables, and goes on without them', () => {
    const layer = workflow(
      '---\nfoo: 1\nagent: { bar: 2, max_turns: 3 }\ntriggers: { api_key: $NONE }\n---',
    );
    expect(codes(layer)).toEqual(['unknown_key', 'unknown_key', 'missing_variable']);
    expect(layer).toMatchObject({ ok: true, layer: { agent: { maxTurns: 3 } } });
    expect(layer.problems.every((problem) => !problem.blocksDispatch)).toBe(true);
  });

  it("runs Symphony's own settings of its engine, and names what is not used", () => {
    const layer = workflow(
      [
        '---',
        'tracker: { kind: linear, project_slug: web }',
        'engine: { sandbox: { network: "" } }',
        'codex:',
        '  command: codex --config shell_environment_policy.inherit=all --config \'model="gpt-5.3"\' --config model_reasoning_effort=xhigh app-server',
        '  approval_policy: never',
        '  thread_sandbox: workspace-write',
        '  turn_sandbox_policy: { type: workspaceWrite, networkAccess: true }',
        '---',
        'Do it',
      ].join('\n'),
    );
    expect(layer).toMatchObject({
      ok: true,
      layer: { engine: { model: 'gpt-5.3', reasoningEffort: 'xhigh' } },
    });
    expect(layer.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('--config shell_environment_policy.inherit=all is not used'),
      expect.stringContaining('codex.turn_sandbox_policy.networkAccess is not used'),
    ]);
  });

  it.each([
    ['engine.approvalPolicy', 'approval_policy: on-request'],
    ['engine.threadSandbox', 'thread_sandbox: read-only'],
    ['engine.turnSandboxPolicy', 'turn_sandbox_policy: { type: readOnly }'],
  ])('refuses by name what cannot be kept: %s', (path, line) => {
    const layer = workflow(`---\ncodex: { ${line} }\n---\nDo it`);
    expect(layer.problems).toMatchObject([{ code: 'invalid_value', blocksDispatch: true }]);
    expect(layer.problems[0]?.message).toContain(path);
  });

  it('takes a policy that rejects instead of asking', () => {
    const text = '---\ncodex: { approval_policy: { reject: { sandbox_approval: true } } }\n---';
    expect(workflow(text)).toMatchObject({ ok: true, problems: [] });
  });

  it('reads switchyard.yaml', () => {
    const text =
      'max_concurrent: 2\nrepos:\n  - { prefix: SY-, url: "https://h/r", defaultBranch: main }\n';
    expect(readBaseFile({ name: 'switchyard.yaml', format: 'yaml', text }, {})).toMatchObject({
      ok: true,
      layer: {
        agent: { maxConcurrentAgents: 2 },
        repos: [{ prefix: 'SY-', url: 'https://h/r', default_branch: 'main' }],
      },
    });
  });

  it('reads the checks of a repository, in either way of writing names', () => {
    const text = [
      'repos:',
      '  - prefix: SY-',
      '    url: https://h/r',
      '    checks:',
      '      - { name: lint, command: npm run lint, timeoutMs: 60000 }',
      '      - name: test',
      '        command: |',
      '          npm ci',
      '          npm test',
      '        timeout_ms: 900000',
    ].join('\n');
    const read = readBaseFile({ name: 'switchyard.yaml', format: 'yaml', text }, {});
    const checks = [
      { name: 'lint', command: 'npm run lint', timeout_ms: 60_000 },
      { name: 'test', command: 'npm ci\nnpm test\n', timeout_ms: 900_000 },
    ];
    expect(read).toMatchObject({ ok: true, problems: [], layer: { repos: [{ checks }] } });
  });
});
