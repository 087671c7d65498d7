import { z } from 'zod';

export const MAX_ARTIFACTS = 20;
export const MAX_ARTIFACT_BYTES = 5 * 1_048_576;
/** Limit for all artifacts of one attempt together. */
export const MAX_ARTIFACTS_BYTES = 20 * 1_048_576;
const MAX_FOLDER_CHARS = 100;
const MAX_PATH_CHARS = 300;

/** Folder of a repository in which agents leave files for people: `test-results`, `docs/preview`. */
export const ArtifactsFolder = z
  .string()
  .max(MAX_FOLDER_CHARS)
  .regex(
    /^(?!(?:.*\/)?\.{1,2}(?:\/|$))(?!\.[Gg][Ii][Tt](?:\/|$))[A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*$/,
    'must be a path below the repository of A-Z a-z 0-9 . _ - and /, such as test-results',
  );

/** Type of a file by its first bytes; browsers show all but octet-stream, and no others, inline. */
export const ArtifactType = z.enum([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/plain',
  'application/octet-stream',
]);
export type ArtifactType = z.infer<typeof ArtifactType>;

/** A file that an agent left for people, as its runner stored it. */
export const Artifact = z.object({
  /**
   * Path below the artifacts folder, with `/`, for display: bytes that are not UTF-8 become U+FFFD.
   */
  path: z.string().min(1).max(MAX_PATH_CHARS),
  bytes: z.int().min(0).max(MAX_ARTIFACT_BYTES),
  /** SHA-256 of the file's bytes, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  type: ArtifactType,
  /** Key of the blob that holds the file; it was stored before this message. */
  blob: z.string().max(200),
});
export type Artifact = z.infer<typeof Artifact>;
