import type { AttemptEvidence, EvidenceFile } from '@switchyard/shared/api/attempt-evidence';
import { formatBytes } from '@switchyard/shared/text/units/format-bytes';
import { useState } from 'preact/hooks';
import { isKept } from '../../api/api.ts';
import { showUnseen } from '../../format/show-unseen.ts';
import { Icon } from '../../ui/marks/icon.tsx';
import { showErrorToast } from '../../ui/overlays/toasts.tsx';
import { leftOutText } from './evidence-labels.ts';
import './file-list.css';

/** Files that an agent left for people: images are shown, the others can be downloaded. */
export function FileList({ evidence }: { evidence: AttemptEvidence }) {
  const isPicture = ({ type }: EvidenceFile) => type.startsWith('image/');
  const pictures = evidence.files.filter(isPicture);
  const others = evidence.files.filter((file) => !isPicture(file));
  const leftOut = leftOutText(evidence);
  return (
    <div class="kept-files">
      {pictures.length > 0 && (
        <ul class="kept-pictures" aria-label="Pictures">
          {pictures.map((file) => (
            <Picture key={keyOf(file)} file={file} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <ul class="kept-others" aria-label="Other files">
          {others.map((file) => (
            <OtherFile key={keyOf(file)} file={file} />
          ))}
        </ul>
      )}
      {leftOut !== null && <p class="quiet">{leftOut}</p>}
    </div>
  );
}

/** A key of path and content: a changed file at the same path is another file. */
const keyOf = ({ path, url }: EvidenceFile) => `${path}:${url}`;

function Picture({ file }: { file: EvidenceFile }) {
  const [state, setState] = useState<'shown' | 'broken' | 'gone'>('shown');
  const explain = async () =>
    setState((await isKept(file.url).catch(() => true)) ? 'broken' : 'gone');
  return (
    <li>
      {state === 'gone' ? (
        <Gone class="kept-picture" />
      ) : (
        <a class="kept-picture" href={file.url} target="_blank" rel="noopener noreferrer">
          {state === 'shown' ? (
            <img
              src={file.url}
              alt={showUnseen(file.path)}
              loading="lazy"
              onError={() => void explain()}
            />
          ) : (
            <span class="quiet">
              could not be loaded<span class="visually-hidden">: {showUnseen(file.path)}</span>
            </span>
          )}
        </a>
      )}
      <NameAndSize file={file} />
    </li>
  );
}

function OtherFile({ file }: { file: EvidenceFile }) {
  const [isGone, setGone] = useState(false);
  const href = `${file.url}?download=1`;
  // For a deleted file, the browser would show the error in place of this page.
  const download = (event: Event) => {
    event.preventDefault();
    isKept(href).then((kept) => (kept ? location.assign(href) : setGone(true)), showErrorToast);
  };
  return (
    <li>
      <Icon name="file" size={14} />
      <NameAndSize file={file} />
      {isGone ? (
        <Gone class="quiet" />
      ) : (
        <>
          {file.type === 'text/plain' && (
            <a class="kept-download" href={file.url} target="_blank" rel="noopener noreferrer">
              <Icon name="link" size={14} /> Open
              <span class="visually-hidden"> {showUnseen(file.path)}</span>
            </a>
          )}
          <a class="kept-download" href={href} onClick={download}>
            <Icon name="download" size={14} /> Download
            <span class="visually-hidden"> {showUnseen(file.path)}</span>
          </a>
        </>
      )}
    </li>
  );
}

function Gone(props: { class: string }) {
  return (
    <span class={props.class} role="status">
      no longer kept
    </span>
  );
}

function NameAndSize({ file }: { file: EvidenceFile }) {
  const path = showUnseen(file.path);
  return (
    <>
      <span class="kept-name mono" dir="ltr" title={path}>
        {path}
      </span>
      <span class="quiet">{formatBytes(file.bytes)}</span>
    </>
  );
}
