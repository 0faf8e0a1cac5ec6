'use strict';
// The rows of the page: decoding what src/plot/pack.c wrote, and pyramids of extremes, with which a million rows are drawn
// as fast as a thousand.

const PACK = {ABSENT: 0, CONSTANT: 1, DOUBLES: 2, BYTES: 3, FLOATS: 4, SPARSE: 5};
const CHUNK = {ROWS: 0, FIRED: 1};
const LEAF = 32;  // rows below one entry of the lowest level of a pyramid

function bytesOf(line) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(line);
    const text = atob(line), bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
}

// Reads packed columns one after the other.
class Unpacker {
    constructor(bytes) {
        this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        this.bytes = bytes;
        this.at = 0;
    }
    number() {
        this.at += 4;
        return this.view.getUint32(this.at - 4, true);
    }
    double() {
        this.at += 8;
        return this.view.getFloat64(this.at - 8, true);
    }
    // The next column into `target` (of doubles) from index `from` on.
    column(target, from, count) {
        const kind = this.bytes[this.at++];
        if (kind === PACK.CONSTANT) target.fill(this.double(), from, from + count);
        else target.fill(NaN, from, from + count);
        if (kind === PACK.SPARSE)
            for (let n = this.number(); n > 0; n--) {
                this.at += 2;
                target[from + this.view.getUint16(this.at - 2, true)] = this.double();
            }
        if (kind === PACK.DOUBLES)
            for (let i = 0; i < count; i++) target[from + i] = this.double();
        if (kind === PACK.FLOATS)
            for (let i = 0; i < count; i++, this.at += 4) target[from + i] = this.view.getFloat32(this.at, true);
        if (kind === PACK.BYTES)
            for (let i = 0; i < count; i++, this.at++)
                if (this.bytes[this.at] !== 255) target[from + i] = this.bytes[this.at];
    }
}

// Extremes of every LEAF, 2 LEAF, 4 LEAF … values of a column, without those that were only tried.
class Pyramid {
    constructor(values, tried) {
        this.values = values;
        this.tried = tried;
        this.levels = [];
        let low = this.leaves(Math.min), high = this.leaves(Math.max);
        this.levels.push({low, high});
        while (low.length > 1) {
            low = Pyramid.halve(low, Math.min);
            high = Pyramid.halve(high, Math.max);
            this.levels.push({low, high});
        }
    }
    leaves(pick) {
        const count = Math.ceil(this.values.length / LEAF), out = new Float64Array(count);
        for (let i = 0; i < count; i++) {
            const end = Math.min(this.values.length, (i + 1) * LEAF);
            let best = pick === Math.min ? Infinity : -Infinity;
            for (let k = i * LEAF; k < end; k++) {
                const v = this.values[k];
                if (this.tried[k] === 0 && (pick === Math.min ? v < best : v > best)) best = v;  // false for what is absent
            }
            out[i] = best;
        }
        return out;
    }
    static halve(list, pick) {
        const out = new Float64Array(Math.ceil(list.length / 2));
        for (let i = 0; i < out.length; i++)
            out[i] = 2 * i + 1 < list.length ? pick(list[2 * i], list[2 * i + 1]) : list[2 * i];
        return out;
    }
    // Of the rows [from, to): sets this.low and this.high; low > high if none is present.
    extremes(from, to) {
        this.low = Infinity;
        this.high = -Infinity;
        while (from < to && from % LEAF !== 0) this.take(from++);
        while (from < to && to % LEAF !== 0) this.take(--to);
        let first = from / LEAF, last = to / LEAF;
        for (let level = 0; first < last; level++, first /= 2, last /= 2) {
            if (first % 2 === 1) this.merge(level, first++);
            if (last % 2 === 1) this.merge(level, --last);
        }
    }
    take(row) {
        const v = this.values[row];
        if (this.tried[row] !== 0) return;
        if (v < this.low) this.low = v;
        if (v > this.high) this.high = v;
    }
    merge(level, index) {
        const {low, high} = this.levels[level];
        if (low[index] < this.low) this.low = low[index];
        if (high[index] > this.high) this.high = high[index];
    }
}

// The first index of the sorted list whose value is >= x (or > x).
function lowerBound(list, x, from = 0, to = list.length) {
    while (from < to) {
        const middle = (from + to) >> 1;
        if (list[middle] < x) from = middle + 1;
        else to = middle;
    }
    return from;
}

function upperBound(list, x, from = 0, to = list.length) {
    while (from < to) {
        const middle = (from + to) >> 1;
        if (list[middle] <= x) from = middle + 1;
        else to = middle;
    }
    return from;
}

// One run: columns of doubles (NaN is absent), and what is found in them once.
class Run {
    constructor(label, rows, columns) {
        this.label = label;
        this.rows = this.fired = 0;
        this.t = new Float64Array(rows);
        this.p = new Float64Array(rows);
        this.m = new Float64Array(rows);
        this.columns = columns.map(() => new Float64Array(rows));
        this.causes = {t: [], p: [], m: [], cause: []};
        this.pyramids = [];
        this.presents = [];
        this.pieces = [];
    }
    addRows(unpacker, count) {
        for (const column of [this.t, this.p, this.m, ...this.columns]) unpacker.column(column, this.rows, count);
        this.rows += count;
    }
    addFired(unpacker, count) {
        for (const list of [this.causes.t, this.causes.p, this.causes.m, this.causes.cause]) {
            const part = new Float64Array(count);
            unpacker.column(part, 0, count);
            for (const value of part) list.push(value);
        }
    }
    // Where instants begin: rows that share their t with the next and not with the one before. A row inside an instant whose
    // pinnacle the next one shares has mythical values: they were only tried, and are no part of a curve.
    finish() {
        const starts = [], {t, p} = this;
        this.tried = new Uint8Array(t.length);
        for (let i = 1; i + 1 < t.length; i++)
            this.tried[i] = t[i - 1] === t[i] && t[i + 1] === t[i] && p[i + 1] === p[i] ? 1 : 0;
        for (let i = 0; i + 1 < t.length; i++)
            if (t[i] === t[i + 1] && (i === 0 || t[i - 1] !== t[i])) starts.push(i);
        this.instants = Uint32Array.from(starts);
        this.instantTimes = Float64Array.from(starts, i => t[i]);
    }
    pyramid(column) {
        return this.pyramids[column] ||= new Pyramid(this.columns[column], this.tried);
    }
    // The rows in which a column is present.
    present(column) {
        if (!this.presents[column]) {
            const values = this.columns[column], rows = [];
            for (let i = 0; i < values.length; i++)
                if (values[i] === values[i]) rows.push(i);
            this.presents[column] = Uint32Array.from(rows);
        }
        return this.presents[column];
    }
    // Of a column of modes: from which time on which, by right limits.
    modePieces(column) {
        if (this.pieces[column]) return this.pieces[column];
        const values = this.columns[column], from = [], mode = [];
        for (let i = 0; i < values.length; i++) {
            if (i + 1 < values.length && this.t[i + 1] === this.t[i]) continue;
            const value = values[i] === values[i] ? values[i] : -1;
            if (mode.length > 0 && mode[mode.length - 1] === value) continue;
            from.push(this.t[i]);
            mode.push(value);
        }
        return this.pieces[column] = {from: Float64Array.from(from), mode: Int32Array.from(mode)};
    }
    // The rows of an instant or of a time between rows: its left and right limit.
    around(t) {
        const first = lowerBound(this.t, t), after = upperBound(this.t, t);
        if (first < after) return {left: first, right: after - 1, share: 0, exact: true};
        if (first === 0 || first === this.t.length) return null;
        return {left: first - 1, right: first, share: (t - this.t[first - 1]) / (this.t[first] - this.t[first - 1])};
    }
    // What fired at exactly this time, in order.
    firedAt(t) {
        const {causes} = this, list = [];
        for (let i = lowerBound(causes.t, t); i < causes.t.length && causes.t[i] === t; i++)
            list.push({p: causes.p[i], m: causes.m[i], cause: causes.cause[i]});
        return list;
    }
}

// A column of a CSV does not say that it is an event: its values stand alone, with nothing in the rows beside them.
function looksLikeEvent(run, column) {
    const rows = run.present(column);
    if (rows.length === 0 || 2 * rows.length > run.t.length) return false;
    for (let i = 1; i < rows.length; i++)
        if (rows[i] === rows[i - 1] + 1 && run.t[rows[i]] !== run.t[rows[i - 1]]) return false;
    return true;
}

// The runs of the page. `progress` hears the share that is done, and what it returns is waited for.
async function decode(head, text, progress) {
    const lines = text.split('\n').filter(line => line !== ''), runs = [];
    const counts = head.runs.map(() => 0), heads = lines.map(line => new Unpacker(bytesOf(line.slice(0, 16))));
    for (const unpacker of heads) {
        const what = unpacker.number(), run = unpacker.number(), count = unpacker.number();
        if (what === CHUNK.ROWS) counts[run] += count;
    }
    head.runs.forEach((label, i) => runs.push(new Run(label, counts[i], head.columns)));
    for (let i = 0; i < lines.length; i++) {
        const unpacker = new Unpacker(bytesOf(lines[i]));
        const what = unpacker.number(), run = runs[unpacker.number()], count = unpacker.number();
        if (what === CHUNK.ROWS) run.addRows(unpacker, count);
        else run.addFired(unpacker, count);
        lines[i] = '';
        if (i % 16 === 15) await progress(i / lines.length);
    }
    for (const run of runs) run.finish();
    head.columns.forEach((column, i) => {
        if (column.kind === 'real' && column.of === undefined && looksLikeEvent(runs[0], i)) column.kind = 'event';
    });
    return runs;
}
