import { request as httpRequest } from 'node:http';
import { type RequestOptions, request as httpsRequest } from 'node:https';
import { collectBody } from './collect-body.ts';

/**
 * Sends a request, over https if that is its `protocol`, and reads the response of at most
 * `maxBytes`. Rejects when there is none, it is longer or breaks off, or the `signal` aborts.
 */
export function requestText(
  options: RequestOptions,
  { text = '', maxBytes }: { text?: string; maxBytes: number },
): Promise<{ status: number; text: string }> {
  const send = options.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(options, (response) => {
      collectBody(response, maxBytes).then(({ body, isWhole }) => {
        if (isWhole) resolve({ status: response.statusCode ?? 500, text: body.toString('utf8') });
        else {
          reject(new Error(`the answer is longer than ${maxBytes} bytes`));
          response.destroy();
        }
      }, reject);
    });
    request.on('error', reject);
    // Node's client adds no body framing for DELETE.
    if (text !== '') request.setHeader('content-length', Buffer.byteLength(text));
    request.end(text);
  });
}
