import * as oauth from 'oauth4webapi';
import { z } from 'zod';
import { TrackerError } from '../../../ports/tracker/tracker.ts';
import { readBody } from '../../read-body.ts';
import { requestTrouble } from '../../request-trouble.ts';
import { parseJson } from '@switchyard/shared/text/parse-json';

/** The last two allow people to delegate issues to the application and to mention it. */
const SCOPES = 'read,write,issues:create,comments:create,app:assignable,app:mentionable';
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

const ListedScope = z.looseObject({ scope: z.array(z.string()) });

/** The OAuth application that people sign in with. */
export type LinearApplication = { clientId: string; clientSecret?: string | undefined };
export type LinearTokens = { accessToken: string; refreshToken: string | null };

/** The url where a person signs in; the result is sent to `redirectUri` with `code` and `state`. */
export async function linearAuthorizeUrl(
  endpoint: string,
  input: { clientId: string; redirectUri: string; state: string; verifier: string },
): Promise<string> {
  const url = new URL(serverOf(endpoint).authorization_endpoint ?? '');
  const parameters = {
    response_type: 'code',
    client_id: input.clientId,
    redirect_uri: input.redirectUri,
    scope: SCOPES,
    state: input.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(input.verifier),
    code_challenge_method: 'S256',
    actor: 'app',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A new verifier and state, 256 random bits each. */
export function newSignIn(): { verifier: string; state: string } {
  return { verifier: oauth.generateRandomCodeVerifier(), state: oauth.generateRandomState() };
}

/**
 * Exchanges a sign-in's code for tokens. Throws a `TrackerError` when Linear refuses or is
 * unreachable.
 */
export async function exchangeLinearCode(
  endpoint: string,
  application: LinearApplication,
  input: { code: string; redirectUri: string; verifier: string },
): Promise<LinearTokens> {
  const server = serverOf(endpoint);
  const client = { client_id: application.clientId };
  return asTrackerError(async () => {
    // The state was already compared: the verifier is stored under it.
    const answer = new URLSearchParams({ code: input.code });
    const callback = oauth.validateAuthResponse(server, client, answer, oauth.skipStateCheck);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      authentication(application),
      callback,
      input.redirectUri,
      input.verifier,
      options(endpoint),
    );
    return tokens(await oauth.processAuthorizationCodeResponse(server, client, response));
  });
}

/** Exchanges a refresh token for new tokens after the access token has expired. */
export async function renewLinearTokens(
  endpoint: string,
  application: LinearApplication,
  refreshToken: string,
): Promise<LinearTokens> {
  const server = serverOf(endpoint);
  const client = { client_id: application.clientId };
  return asTrackerError(async () => {
    const auth = authentication(application);
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      auth,
      refreshToken,
      options(endpoint),
    );
    const renewed = tokens(await oauth.processRefreshTokenResponse(server, client, response));
    return { ...renewed, refreshToken: renewed.refreshToken ?? refreshToken };
  });
}

/**
 * Derives the sign-in server: `https://api.linear.app/graphql` has
 * `https://linear.app/oauth/authorize`.
 */
function serverOf(endpoint: string): oauth.AuthorizationServer {
  const { origin } = new URL(endpoint);
  const site = origin.replace('//api.', '//');
  return {
    issuer: site,
    authorization_endpoint: `${site}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
  };
}

function authentication({ clientSecret }: LinearApplication): oauth.ClientAuth {
  return clientSecret === undefined ? oauth.None() : oauth.ClientSecretPost(clientSecret);
}

function options(endpoint: string): oauth.TokenEndpointRequestOptions {
  const { protocol, hostname } = new URL(endpoint);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    [oauth.customFetch]: async (url, init) => withScopeAsText(await fetch(url, init)),
    ...(protocol === 'http:' && isLoopback ? { [oauth.allowInsecureRequests]: true } : {}),
  };
}

/** Converts a `scope` list, which Linear may send, to the standard's text with blanks. */
async function withScopeAsText(response: Response): Promise<Response> {
  const text = await readBody(response, MAX_ANSWER_BYTES);
  const parsed = ListedScope.safeParse(parseJson(text));
  const { status, headers } = response;
  const body = parsed.success
    ? JSON.stringify({ ...parsed.data, scope: parsed.data.scope.join(' ') })
    : text;
  return new Response(body === '' ? null : body, { status, headers });
}

function tokens(answer: oauth.TokenEndpointResponse): LinearTokens {
  return { accessToken: answer.access_token, refreshToken: answer.refresh_token ?? null };
}

async function asTrackerError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) {
      throw new TrackerError('auth', `Linear refused the sign-in: ${error.error}`);
    }
    if (error instanceof oauth.OperationProcessingError) {
      throw new TrackerError('response', 'Linear answered the sign-in with something else');
    }
    throw new TrackerError(
      'transport',
      `Linear's sign-in is out of reach: ${requestTrouble(error)}`,
    );
  }
}
