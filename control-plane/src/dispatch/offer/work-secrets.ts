import type { RepoRoute, RepoSecret } from '@switchyard/shared/api/admin/repo-route';
import type { WorkSecret } from '@switchyard/shared/sandbox/work-secret';
import { referredSecret } from '@switchyard/shared/settings/secret-reference';

/** What a route grants to attempts on its repository, in the terms of a specification. Pure. */
export function workSecrets({ secrets = [] }: Pick<RepoRoute, 'secrets'>): WorkSecret[] {
  return secrets.map(workSecret);
}

function workSecret(granted: RepoSecret): WorkSecret {
  const { secret, hosts, header = 'authorization', user, writes = false } = granted;
  const usual = header.toLowerCase() === 'authorization' ? 'bearer' : 'plain';
  return {
    name: referredSecret(secret),
    hosts,
    header,
    scheme: granted.scheme ?? usual,
    writes,
    ...(user === undefined ? {} : { user }),
  };
}
