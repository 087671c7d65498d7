import type { RepoSecret } from '@switchyard/shared/api/admin/repo-route';
import { referredSecret, secretReference } from '@switchyard/shared/settings/secret-reference';

/** One granted secret while it is filled in. */
export type GrantDraft = {
  /** For the page alone: which of them it is. */
  key: number;
  secret: string;
  /** As typed: one or more hosts. */
  hosts: string;
  scheme: 'bearer' | 'basic' | 'plain';
  header: string;
  user: string;
  writes: boolean;
};

export function emptyGrant(key: number): GrantDraft {
  return {
    key,
    secret: '',
    hosts: '',
    scheme: 'bearer',
    header: 'authorization',
    user: '',
    writes: false,
  };
}

/** As the service takes it; what is the default there is left out. */
export function grantFrom(draft: GrantDraft): RepoSecret {
  const header = draft.header.trim().toLowerCase();
  const isUsual = header === '' || header === 'authorization';
  const usualScheme = isUsual ? 'bearer' : 'plain';
  return {
    secret: secretReference(draft.secret.trim()),
    hosts: draft.hosts.split(/[\s,]+/).filter((host) => host !== ''),
    ...(isUsual ? {} : { header }),
    ...(draft.scheme === usualScheme ? {} : { scheme: draft.scheme }),
    ...(draft.scheme === 'basic' ? { user: draft.user.trim() } : {}),
    ...(draft.writes ? { writes: true } : {}),
  };
}

/** What a route grants, in words. */
export function grantText({ secret, hosts, header, writes }: RepoSecret): string {
  const where = header === undefined ? '' : ` in ${header}`;
  const what = writes === true ? ', read and write' : ', read only';
  return `${referredSecret(secret)} for ${hosts.join(', ')}${where}${what}`;
}
