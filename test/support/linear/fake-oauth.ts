import { createHash, randomUUID } from 'node:crypto';

type Grant = { clientId: string; challenge: string; redirectUri: string };
type TokenAnswer = { status: number; body: Record<string, unknown> };

/** Linear's sign-in: codes for one use under PKCE, tokens that can be ended and renewed. */
export class FakeOauth {
  readonly #codes = new Map<string, Grant>();
  readonly #access = new Set<string>();
  readonly #refresh = new Set<string>();

  /** What a person does who agrees: gives what the browser brings back. */
  agree(authorizeUrl: string): { code: string; state: string } {
    const query = new URL(authorizeUrl).searchParams;
    if (query.get('code_challenge_method') !== 'S256') throw new Error('no PKCE');
    const code = randomUUID();
    this.#codes.set(code, {
      clientId: query.get('client_id') ?? '',
      challenge: query.get('code_challenge') ?? '',
      redirectUri: query.get('redirect_uri') ?? '',
    });
    return { code, state: query.get('state') ?? '' };
  }

  /** Ends every access token, as time does. */
  endAccess(): void {
    this.#access.clear();
  }

  accepts(authorization: string): boolean {
    return authorization.startsWith('Bearer ') && this.#access.has(authorization.slice(7));
  }

  token(form: URLSearchParams): TokenAnswer {
    if (form.get('grant_type') === 'refresh_token') {
      // A refresh token works once.
      return this.#refresh.delete(form.get('refresh_token') ?? '') ? this.#issue() : refused();
    }
    const code = form.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const fits =
      grant?.challenge === challenge &&
      grant.clientId === form.get('client_id') &&
      grant.redirectUri === form.get('redirect_uri');
    return fits ? this.#issue() : refused();
  }

  #issue(): TokenAnswer {
    const [access, refresh] = [`lin_oauth_${randomUUID()}`, randomUUID()];
    this.#access.add(access);
    this.#refresh.add(refresh);
    const body = {
      access_token: access,
      refresh_token: refresh,
      token_type: 'Bearer',
      expires_in: 86_399,
      // A list, where RFC 6749 has a text with blanks.
      scope: ['read', 'write'],
    };
    return { status: 200, body };
  }
}

function refused(): TokenAnswer {
  return { status: 400, body: { error: 'invalid_grant' } };
}
