import type { RepoSecret } from '@switchyard/shared/api/admin/repo-route';
import { referredSecret, secretReference } from '@switchyard/shared/settings/secret-reference';

/** One granted secret in the form. */
export type GrantDraft = {
  /** Identifies the grant on this page only. */
  key: number;
  secret: string;
  /** One or more hosts as typed. */
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

/** The grant in the service's format; default values are left out. */
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

/** A route's grant as text. */
export function grantText({ secret, hosts, header, writes }: RepoSecret): string {
  const where = header === undefined ? '' : ` in ${header}`;
  const what = writes === true ? ', read and write' : ', read only';
  return `${referredSecret(secret)} for ${hosts.join(', ')}${where}${what}`;
}
