import { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { describe, expect, it } from 'vitest';
import { routeFromForm } from './route-from-form.ts';

function form(fields: Record<string, string>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

describe('the route form', () => {
  it('gives either a prefix or a label, and a branch only when there is one', () => {
    const prefix = routeFromForm(
      form({ by: 'prefix', match: 'SY-', url: ' file:///srv/a.git ', branch: '' }),
    );
    const label = routeFromForm(
      form({ by: 'label', match: 'docs', url: 'https://example.org/b.git', branch: 'main' }),
    );
    expect(prefix).toEqual({ prefix: 'SY-', url: 'file:///srv/a.git' });
    expect(label).toEqual({
      label: 'docs',
      url: 'https://example.org/b.git',
      default_branch: 'main',
    });
    expect([prefix, label].map((route) => RepoRoute.safeParse(route).success)).toEqual([
      true,
      true,
    ]);
  });

  it('allows the MCP servers of the repository only where the box is ticked', () => {
    const fields = { by: 'prefix', match: 'SY-', url: 'file:///srv/a.git', branch: '' };
    const allowed = routeFromForm(form({ ...fields, repositoryServers: 'on' }));
    expect(allowed.repository_servers).toBe(true);
    expect(RepoRoute.safeParse(allowed).success).toBe(true);
    expect(routeFromForm(form(fields)).repository_servers).toBeUndefined();
  });
});
