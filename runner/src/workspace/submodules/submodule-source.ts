import { repositoryUrlProblem } from '@switchyard/shared/text/repository-url';
import { cutText } from '@switchyard/shared/text/cut-text';
import { namesRepository } from '../git/names-repository.ts';
import { redactUrls } from '../git/redact-urls.ts';
import { shownPath } from '../git/shown-path.ts';
import type { RepositorySource, WorkspaceError } from '../workspace.ts';

/** ssh's short form `user@host:path`. */
const SCP_LIKE = /^(?:([^@/:]+)@)?([^@/:[\]]+):(?!\/\/)(.+)$/;
const SHOWN_CHARACTERS = 200;
const TO_NAME = `the operator can name it in "submodules" of the repository's route`;

/** The source of a submodule, or why it must not be fetched, as the end of a sentence. */
export type SubmoduleSource = { source: RepositorySource } | { refused: string };

/**
 * Decides about a submodule's address, relative or not. Repositories that the operator `named` may
 * be fetched like the route's own. Of others only public ones on the surrounding repository's host,
 * without credentials, and local folders if that one is local too. Over ssh only named ones,
 * because the runner's key would open everything it can. If a host serves the repository over
 * https, it usually serves others too.
 */
export function submoduleSource(
  address: string,
  around: { repositoryUrl: string; named: readonly string[] },
): SubmoduleSource {
  const { repositoryUrl, named } = around;
  const written = absolute(address, repositoryUrl);
  const shown = redactUrls(shownPath(cutText(written ?? address, SHOWN_CHARACTERS)));
  const problem = written === null ? 'leads out of the host' : repositoryUrlProblem(written);
  if (written === null || problem !== null)
    return { refused: `its address ${shown} is none that is fetched: it ${problem}` };
  const known = named.find((one) => namesRepository(written, one));
  if (known !== undefined) return { source: { url: known, submodule: 'named' } };
  const { isReachable, url } = onHostOf(repositoryUrl, new URL(written));
  if (/[?#]/.test(written))
    return { refused: `its address ${shown} is none that is fetched: it has a query or fragment` };
  if (isReachable) return { source: { url, submodule: 'public' } };
  const why = /^https:/i.test(written)
    ? 'is on another host than the repository'
    : 'is not public over https';
  return {
    refused: `its address ${shown} ${why}: ${TO_NAME}`,
  };
}

/** Why a source could not be fetched, with advice if a public one may be private. */
export function whyNotFetched({ submodule }: RepositorySource, error: WorkspaceError): string {
  const mayBePrivate = error.code === 'host_auth_failed' || error.code === 'repository_missing';
  if (submodule !== 'public' || !mayBePrivate) return error.message;
  return `${error.message.replace(/\.$/, '')}; if it is private, ${TO_NAME}`;
}

/** The address on the repository's host without a user, so that no password is requested. */
function onHostOf(repositoryUrl: string, url: URL): { isReachable: boolean; url: string } {
  const own = new URL(repositoryUrl);
  if (own.protocol === 'file:' || url.protocol === 'file:')
    return { isReachable: own.protocol === url.protocol, url: url.href };
  const ownHost = own.protocol === 'https:' ? own.host : own.hostname.toLowerCase();
  url.username = '';
  if (url.protocol === 'https:') return { isReachable: url.host === ownHost, url: url.href };
  const isReachable = own.protocol === 'https:' && url.hostname.toLowerCase() === ownHost;
  return { isReachable, url: `https://${ownHost}${url.pathname}` };
}

/**
 * An absolute address from a relative one, as git resolves it; null when it goes above the host's
 * root.
 */
function absolute(address: string, repositoryUrl: string): string | null {
  if (!/^\.{1,2}\//.test(address)) return scpAsUrl(address);
  const url = new URL(repositoryUrl);
  const parts = url.pathname.replace(/\/+$/, '').split('/').slice(1);
  let rest = address;
  for (let step = /^\.{1,2}\/+/.exec(rest); step !== null; step = /^\.{1,2}\/+/.exec(rest)) {
    if (step[0].startsWith('..') && parts.pop() === undefined) return null;
    rest = rest.slice(step[0].length);
  }
  return `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}/${[...parts, rest].join('/')}`;
}

function scpAsUrl(address: string): string {
  const [, user, host = '', path = ''] = SCP_LIKE.exec(address) ?? [];
  if (host === '' || address.includes('://')) return address;
  return `ssh://${user === undefined ? '' : `${user}@`}${host}/${path.replace(/^\/+/, '')}`;
}
