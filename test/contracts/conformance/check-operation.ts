import { ErrorBody } from '@switchyard/shared/api/error-body';
import type { Answer, Call } from './conformance-client.ts';
import type { Example, Fixture, Operation } from './operation.ts';
import type { ServedDocument } from './served-document.ts';

const REQUEST_ID = 'conformance-0123456789';
const MAX_BODY_BYTES = 1_048_576;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** One thing that was looked at; `problem` null when it is as the contract says. */
export type Check = { what: string; problem: string | null };

/** Looks at one operation from every side. `skipped` says why its good case was not tried. */
export async function checkOperation(
  operation: Operation,
  fixture: Fixture,
  document: ServedDocument,
): Promise<{ checks: Check[]; skipped: string | null }> {
  const checks: Check[] = [checkDocumented(operation, document)];
  const example = operation.example === undefined ? {} : await operation.example(fixture);
  if (example !== null) checks.push(...(await checkGood(operation, example, fixture, document)));
  const look = (what: string, call: Call, status: number, words?: string) =>
    refused(fixture, document, operation, { what, call, status, words });
  const params = example?.params ?? operation.unknown ?? {};
  const base = { ...example, params };
  for (const query of operation.badQueries ?? []) {
    checks.push(await look(`refuses ?${query}`, callOf(operation, { ...base, query }), 400));
  }
  if (operation.unknown !== undefined) {
    const call = callOf(operation, { ...base, params: operation.unknown });
    checks.push(await look('says that an unknown one is not found', call, 404, 'not found'));
  }
  if (example?.body !== undefined) {
    checks.push(...(await checkBodies(operation, base, look)));
  }
  checks.push(await checkMethod(operation, base, fixture, document));
  return { checks, skipped: example === null ? 'nothing here to try it on' : null };
}

function checkDocumented({ method, path }: Operation, document: ServedDocument): Check {
  const documented = document.methods(path).includes(method);
  return { what: 'is documented', problem: documented ? null : 'is not in the OpenAPI document' };
}

function callOf(operation: Operation, example: Example): Call {
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(example.params?.[name] ?? 'x'),
  );
  return {
    method: operation.method,
    path: example.query === undefined ? path : `${path}?${example.query}`,
    headers: { ...example.headers, 'X-Request-ID': REQUEST_ID },
    ...(example.body === undefined ? {} : { body: example.body }),
  };
}

async function checkGood(
  operation: Operation,
  example: Example,
  { client }: Fixture,
  document: ServedDocument,
): Promise<Check[]> {
  const answer = await client.send(callOf(operation, example));
  const expected = operation.expect.includes(answer.status);
  const problems = documentProblems(operation, answer, document);
  const kept = answer.headers.get('x-request-id') === REQUEST_ID;
  return [
    {
      what: `answers ${operation.expect.join(' or ')}`,
      problem: expected ? null : `answered ${answer.status}: ${answer.text.slice(0, 300)}`,
    },
    {
      what: 'answers what its document says',
      problem: problems.length === 0 ? null : problems.join('; '),
    },
    { what: "keeps the caller's request id", problem: kept ? null : 'another X-Request-ID' },
  ];
}

function documentProblems(operation: Operation, answer: Answer, document: ServedDocument) {
  const contentType = answer.headers.get('content-type') ?? '';
  return document.problems(operation, { ...answer, contentType });
}

type Refusal = { what: string; call: Call; status: number; words?: string | undefined };
type Look = (what: string, call: Call, status: number, words?: string) => Promise<Check>;

/** A refusal has its status, the error envelope, and words. */
async function refused(
  { client }: Fixture,
  document: ServedDocument,
  operation: Operation,
  { what, call, status, words }: Refusal,
): Promise<Check> {
  const answer = await client.send(call);
  if (answer.status !== status) {
    const got = `answered ${answer.status} instead of ${status}: ${answer.text.slice(0, 300)}`;
    return { what, problem: got };
  }
  const envelope = ErrorBody.safeParse(answer.body);
  if (!envelope.success)
    return { what, problem: `no error envelope: ${answer.text.slice(0, 300)}` };
  if (envelope.data.status !== status) return { what, problem: 'another status in the envelope' };
  if (words !== undefined && !envelope.data.error.includes(words)) {
    return { what, problem: `does not say "${words}": ${envelope.data.error}` };
  }
  const problems =
    call.method === operation.method ? documentProblems(operation, answer, document) : [];
  return { what, problem: problems.length === 0 ? null : problems.join('; ') };
}

async function checkBodies(operation: Operation, example: Example, look: Look): Promise<Check[]> {
  if (operation.takesLongBodies === true) return [];
  const { body: _body, ...bare } = callOf(operation, example);
  const text = (content: string, contentType?: string): Call => ({
    ...bare,
    text: content,
    ...(contentType === undefined ? {} : { contentType }),
  });
  const good = JSON.stringify(example.body);
  const huge = JSON.stringify({ value: 'x'.repeat(MAX_BODY_BYTES) });
  const checks = [await look('refuses a body that is too large', text(huge), 413)];
  // Receivers look at the signature before they look at anything else.
  if (operation.openBody === true) return checks;
  checks.push(
    await look('refuses malformed JSON', text('{"a":'), 400),
    await look('refuses a list for an object', text('[1]'), 400),
    await look('refuses null', text('null'), 400),
    await look('refuses another content type', text(good, 'text/plain'), 415),
  );
  const wrong: Record<string, unknown> = {
    'a field that it does not know': { ...(example.body as object), conformance_extra: 1 },
    ...operation.badBodies,
  };
  for (const [what, body] of Object.entries(wrong)) {
    checks.push(await look(`refuses ${what}`, callOf(operation, { ...example, body }), 400));
  }
  return checks;
}

/** A method that no operation of this path has: 405, and which ones it has. */
async function checkMethod(
  operation: Operation,
  example: Example,
  fixture: Fixture,
  document: ServedDocument,
): Promise<Check> {
  const known = document.methods(operation.path);
  const method = METHODS.find((other) => !known.includes(other));
  const what = `refuses ${method}`;
  if (method === undefined) return { what: 'refuses no method', problem: null };
  const { body: _body, ...call } = callOf(operation, example);
  const answer = await fixture.client.send({ ...call, method });
  if (answer.status !== 405) return { what, problem: `answered ${answer.status} instead of 405` };
  const allowed = (answer.headers.get('allow') ?? '').split(',').map((name) => name.trim());
  const missing = known.filter((name) => !allowed.includes(name));
  return { what, problem: missing.length === 0 ? null : `Allow lacks ${missing.join(', ')}` };
}
