import type { WorkspaceError } from '../../workspace.ts';

type HostTrouble = Extract<WorkspaceError['code'], 'host_unreachable' | 'host_auth_failed'>;

const AUTH_FAILED = [
  /authentication failed for/i,
  /could not read (?:username|password) for/i,
  /permission denied \([a-z,-]+\)/i,
  /host key verification failed/i,
  /http basic: access denied/i,
  /returned error: 40[13]\b/i,
];
/** How hosts report, over http and ssh, that a known user lacks access. */
const NO_ACCESS = [
  /\bpermission to \S+ denied to /i,
  /write access to (?:this )?repository not granted/i,
  /not allowed to push code to this project/i,
  /deploy key does not have write access/i,
  /deployment key is read-only/i,
  /repository access denied/i,
  /has been marked as read[- ]only/i,
  /has enabled or enforced SAML SSO/i,
  /\bTF401027:/,
  /not authorized to write to/i,
  /user permission denied/i,
];
/** Hosts also answer 403 to known users who send too many requests. */
const LIMITED = /rate limit|too many requests|try again later/i;
/** Messages of git, curl, TLS libraries and ssh about an unreachable host. */
const UNREACHABLE = [
  /could not resolve (?:host|proxy|hostname)/i,
  /(?:failed|couldn't|could not|unable) to connect to/i,
  /connection (?:refused|timed out|reset|closed)/i,
  /operation timed out/i,
  /(?:network is unreachable|no route to host)/i,
  /(?:ssl|tls)(?:_| )?(?:certificate|connect|connection|handshake|error|routines)/i,
  /server certificate verification failed/i,
  /gnutls_handshake\(\) failed/i,
  /empty reply from server/i,
  /(?:from proxy after connect|connect tunnel failed|proxy connect aborted)/i,
  /returned error: (?:5\d\d|429)\b/i,
  /rpc failed; (?:http 5\d\d|curl \d+)/i,
];

/**
 * Whether git's message about a remote is a failure of its host, not of the repository or this
 * runner. Lines written by the remote are ignored, except to tell a rate limit from a refusal. Null
 * for a repository on this host.
 */
export function hostTrouble(remoteUrl: string, message: string): HostTrouble | null {
  if (!/^(?:https?|ssh):/i.test(remoteUrl)) return null;
  const own = message
    .split('\n')
    .filter((line) => !/^(?:.*: )?remote:/.test(line.trim()))
    .join('\n');
  if (AUTH_FAILED.some((pattern) => pattern.test(own)) || saysNoAccess(own))
    return LIMITED.test(message) ? 'host_unreachable' : 'host_auth_failed';
  return UNREACHABLE.some((pattern) => pattern.test(own)) ? 'host_unreachable' : null;
}

/** Whether a host says that the user lacks access, which only a person can grant. */
export function saysNoAccess(message: string): boolean {
  return NO_ACCESS.some((pattern) => pattern.test(message));
}
