import { expect, it } from 'vitest';
import { shownChecks } from './shown-checks.ts';

const run = (name: string, status: string, conclusion: string | null) => ({
  id: 1,
  name,
  status,
  conclusion,
  started_at: '2026-11-20T10:00:00Z',
  completed_at: conclusion === null ? null : '2026-11-20T10:01:00Z',
});

it('shows runs and statuses alike, what asks for attention first', () => {
  const shown = shownChecks(
    [
      run('lint', 'completed', 'success'),
      run('old', 'completed', 'cancelled'),
      run('unit', 'completed', 'timed_out'),
      run('deploy', 'completed', 'action_required'),
      run('build', 'in_progress', null),
    ],
    [{ context: 'ci/status', state: 'error', target_url: 'javascript:alert(1)' }],
  );
  expect(shown.map(({ name, state }) => [name, state])).toEqual([
    ['ci/status', 'failed'],
    ['unit', 'failed'],
    ['build', 'pending'],
    ['deploy', 'pending'],
    ['lint', 'passed'],
    ['old', 'skipped'],
  ]);
  expect(shown[0]).toMatchObject({ url: null, startedAt: null });
  expect(shown[1]).toMatchObject({
    startedAt: '2026-11-20T10:00:00.000Z',
    endedAt: '2026-11-20T10:01:00.000Z',
  });
  expect(shown[2]?.endedAt).toBe(null);
});
