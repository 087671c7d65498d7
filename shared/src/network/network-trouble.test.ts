import { expect, it } from 'vitest';
import { networkTrouble, statusTrouble } from './network-trouble.ts';

it.each([
  ['ENOTFOUND', 'its name is not known'],
  ['EAI_AGAIN', 'its name could not be looked up'],
  ['ECONNREFUSED', 'nothing accepts connections there'],
  ['ECONNRESET', 'the connection broke off'],
  ['UND_ERR_SOCKET', 'the connection broke off'],
  ['ETIMEDOUT', 'no answer in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no answer in time'],
  ['CONNECT_TIMEOUT', 'no answer in time'],
  ['ENETUNREACH', 'no route leads there'],
  ['CERT_HAS_EXPIRED', 'its certificate is not trusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'its certificate is not trusted'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is not trusted'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'no encrypted connection came about'],
  ['HPE_INVALID_CONSTANT', 'what answers there does not speak HTTP'],
  ['SOMETHING_NEW', 'no connection'],
])('says in plain words what %s means', (code, words) => {
  expect(networkTrouble(code)).toBe(`${words} (${code})`);
});

it('tells refusals, limits and trouble of the other side apart', () => {
  expect([401, 403, 429, 500, 503, 400, 200].map(statusTrouble)).toEqual([
    'refuses the credentials',
    'does not allow this',
    'limits requests for now',
    'has trouble of its own',
    'has trouble of its own',
    null,
    null,
  ]);
});
