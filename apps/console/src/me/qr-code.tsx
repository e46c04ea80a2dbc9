import { encodeQR } from 'qr';
import type { ReactElement } from 'react';

/** A text as a QR code, dark on light in both schemes: cameras read no other. */
export function QrCode({ text, label }: { text: string; label: string }): ReactElement {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 3 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      {...{ role: 'img', 'aria-label': label, width: 200, height: 200 }}
      {...{ viewBox: `0 0 ${rows.length} ${rows.length}`, shapeRendering: 'crispEdges' }}
    >
      <rect width="100%" height="100%" rx={1} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
