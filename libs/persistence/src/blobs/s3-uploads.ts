/** An upload that was begun and not completed. */
export interface Upload {
  readonly object: string;
  readonly upload: string;
  /** ISO 8601. */
  readonly begun: string;
}

interface XmlUpload {
  readonly Key: string;
  readonly UploadId: string;
  readonly Initiated: string;
}

/** The uploads of a listing, which the client hands over as its XML has them: one alone is no list. */
export function uploadsIn(answer: unknown): readonly Upload[] {
  const { ListMultipartUploadsResult: result } = answer as {
    readonly ListMultipartUploadsResult?: { readonly Upload?: XmlUpload | readonly XmlUpload[] };
  };
  const uploads = [result?.Upload ?? []].flat();
  return uploads.map(({ Key, UploadId, Initiated }) => ({
    object: Key,
    upload: UploadId,
    begun: Initiated,
  }));
}
