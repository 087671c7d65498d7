import type { Artifact } from '@switchyard/shared/evidence/artifact';
import { cutText } from '@switchyard/shared/text/cut-text';
import { plainLine } from '@switchyard/shared/text/plain-text';

const MAX_NAME_CHARS = 100;
const YEAR_SECONDS = 31_536_000;

/**
 * Headers for an artifact of an agent: it is served from this service's own origin, so it must not
 * run there or be read as another type. Images and text are shown, other types are downloaded.
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

/** The Content-Disposition file name by RFC 6266 and RFC 8187, with an ASCII fallback. */
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
