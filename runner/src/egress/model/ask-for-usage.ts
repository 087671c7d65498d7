import { toJson } from '@switchyard/shared/text/well-formed-json';
import { objectOf } from './json-object.ts';

const STREAM_OPTIONS = Buffer.from('"stream_options":{"include_usage":true}');

/**
 * Makes a streamed response in the chat format report its tokens, which it does only on request. A
 * body that already requests them, wants no stream, or is no object stays unchanged byte for byte.
 */
export function askForUsage(body: Buffer): Buffer {
  const request = parsed(body);
  if (request === null || request['stream'] !== true) return body;
  const options = objectOf(request['stream_options']);
  if (options?.['include_usage'] === true) return body;
  if ('stream_options' in request) {
    const asking = { ...request, stream_options: { ...options, include_usage: true } };
    return Buffer.from(toJson(asking));
  }
  const start = body.indexOf('{') + 1;
  const comma = Object.keys(request).length > 0 ? ',' : '';
  return Buffer.concat([
    body.subarray(0, start),
    STREAM_OPTIONS,
    Buffer.from(comma),
    body.subarray(start),
  ]);
}

function parsed(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    return objectOf(JSON.parse(body.toString('utf8')));
  } catch {
    return null;
  }
}
