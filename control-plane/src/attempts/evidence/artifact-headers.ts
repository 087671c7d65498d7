import type { Artifact } from '@switchyard/shared/evidence/artifact';
import { cutText } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

const MAX_NAME_CHARS = 100;
const YEAR_SECONDS = 31_536_000;

/**
 * Headers of a file that an agent left: it comes from our own origin, and must neither run there nor
 * be taken for another type. Images and text are shown, everything else is saved.
 */
export function artifactHeaders(
  { path, bytes, type }: Pick<Artifact, 'path' | 'bytes' | 'type'>,
  { isDownload }: { isDownload: boolean },
): Record<string, string> {
  const isShown = !isDownload && type !== 'application/octet-stream';
  return {
    'Content-Type': type === 'text/plain' ? 'text/plain; charset=utf-8' : type,
    'Content-Length': String(bytes),
    'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; ${fileName(path)}`,
    'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': `private, max-age=${YEAR_SECONDS}, immutable`,
  };
}

/** Its last part as RFC 6266 and RFC 8187 have it, with a name in ASCII for those that know no other. */
function fileName(path: string): string {
  const last = plainLine(path.split('/').at(-1) ?? '');
  const name = cutText(last, MAX_NAME_CHARS).replaceAll(/[\\/:*?"<>|%]|^\.+/g, '_') || 'file';
  const ascii = name.replaceAll(/[^ -~]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
