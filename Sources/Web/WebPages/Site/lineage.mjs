// Remembers which recordings of a drawing the server has, and which ones it may have. A new version
// replaces these, and a merge starts from the known one.

// The maximum number of remembered recordings whose response was lost.
const maximumTries = 20;

export class Lineage {
  static empty = { known: null, base: null, tried: [] };

  // The record of the drawing stores the lineage:
  // - `known`: the hash of the recording that the server is known to have;
  // - `base`: the bytes of that recording, if the record has a later one;
  // - `tried`: the hashes of recordings that were sent since, or are going to be.
  constructor(record) {
    this.record = record;
  }

  // The server's recording with its hash, if it is another one than the record's.
  get base() {
    const { known: sha256, base: recording } = this.record;
    return sha256 && recording ? { sha256, recording } : null;
  }

  // Notes that a recording replaces that of the record. The server's recording is kept as merge
  // base until ours is stored, to determine the side of an erasure.
  replace(sha256) {
    const { record } = this;
    if (record.known && record.known === record.sha256) record.base = record.recording;
    this.attempt(sha256);
  }

  // Notes a recording before it is sent, because the response may be lost, also with this tab.
  attempt(sha256) {
    const { tried } = this.record;
    this.record.tried = [...tried.filter((one) => one !== sha256), sha256].slice(-maximumTries);
  }

  // Notes that the server has stored a recording.
  store(sha256) {
    Object.assign(this.record, { ...Lineage.empty, known: sha256 });
  }

  // Notes which of the recordings that were sent from here the server has.
  find(sha256) {
    const { known, base, tried } = this.record;
    Object.assign(this.record, {
      known: sha256,
      base: sha256 === known ? base : null,
      tried: tried.filter((one) => one !== sha256),
    });
  }

  // Notes that the server's recording is merged into that of the record.
  join({ sha256, recording }) {
    Object.assign(this.record, { known: sha256, base: recording });
  }

  wasSentFromHere(sha256) {
    return sha256 === this.record.known || this.record.tried.includes(sha256);
  }

  // Whether the server has exactly this recording.
  isAt(sha256) {
    const { known, tried } = this.record;
    return known !== null && known === sha256 && tried.every((one) => one === sha256);
  }

  // The recordings that one has replaced since both sides were equal. Null means that they are
  // unknown; an empty list would mean that the ink is unchanged.
  ancestors(sha256) {
    const { known, tried } = this.record;
    const all = [...(known ? [known] : []), ...tried].filter((one) => one !== sha256);
    return all.length > 0 ? all : null;
  }
}
