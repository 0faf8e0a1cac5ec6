// Lanes: modes as coloured bands, events as ticks, above the panels and over the same times.

const LANE = 20;

class Lanes {
    constructor(view, columns) {
        Object.assign(this, {view, columns});
        this.canvas = element('canvas');
        this.overlay = element('canvas', {class: 'overlay'});
        this.names = element('div', {class: 'lanes-names'});
        this.box = element('div', {class: 'plot', tabindex: '-1'}, this.canvas, this.overlay);
        this.node = element('section', {class: 'panel lanes'}, this.box);
    }
    get height() {
        return this.columns.length * (LANE + 14) + 4;
    }
    draw() {
        const {view} = this, {left, right} = view.margins(), width = this.box.clientWidth;
        const g = prepare(this.canvas, width, this.height), {run, head} = view;
        this.x = new Scale(view.times.from, view.times.to, left, width - right);
        this.columns.forEach((column, i) => {
            const top = i * (LANE + 14) + 14;
            g.fillStyle = view.ink.faint;
            g.textAlign = 'left';
            g.fillText(head.columns[column].name, left, top - 3);
            if (head.columns[column].kind === 'mode') this.drawModes(g, run, column, top);
            else this.drawEvents(g, run, column, top);
        });
        this.drawCursor();
    }
    colour(mode) {
        const palette = this.view.palette();
        return palette[mode % palette.length];
    }
    // Where several modes share a pixel it is divided as its time is.
    drawModes(g, run, column, top) {
        const {x, view} = this, {from, mode} = run.modePieces(column), end = run.t[run.t.length - 1];
        const names = view.head.columns[column].modes;
        let piece = Math.max(0, upperBound(from, x.from) - 1);
        for (let px = x.start; px < x.end && piece < from.length;) {
            const t = x.value(px), until = x.value(px + 1);
            while (piece + 1 < from.length && from[piece + 1] <= t) piece++;
            if (from[piece] > until || t > end) {
                px++;
                continue;
            }
            const stop = piece + 1 < from.length ? from[piece + 1] : end;
            if (stop < until) {
                piece = this.drawShared(g, from, mode, piece, px, t, until, top);
                px++;
                continue;
            }
            const wide = Math.max(1, Math.floor(Math.min(x.end, x.pixel(stop)) - px));
            this.drawPiece(g, px, wide, top, LANE, mode[piece], names);
            px += wide;
        }
    }
    drawPiece(g, px, wide, top, high, mode, names) {
        if (mode < 0) return;
        g.globalAlpha = 0.75;
        g.fillStyle = this.colour(mode);
        g.fillRect(px, top, wide, high);
        g.globalAlpha = 1;
        if (names === undefined || g.measureText(names[mode]).width + 8 > wide) return;
        g.fillStyle = this.view.ink.onColour;
        g.textAlign = 'center';
        g.fillText(names[mode], px + wide / 2, top + 14);
    }
    // Returns the piece in which the pixel ends.
    drawShared(g, from, mode, piece, px, t, until, top) {
        const shares = new Map(), last = Math.min(from.length - 1, upperBound(from, until) - 1);
        const stride = Math.max(1, Math.floor((last - piece) / 64));
        for (let i = piece; i <= last; i += stride) {
            const length = Math.min(until, i + 1 < from.length ? from[i + 1] : until) - Math.max(t, from[i]);
            shares.set(mode[i], (shares.get(mode[i]) || 0) + Math.max(0, length));
        }
        const total = [...shares.values()].reduce((a, b) => a + b, 0) || 1;
        let y = top;
        for (const [m, share] of [...shares].sort((a, b) => a[0] - b[0])) {
            const high = Math.max(3, LANE * share / total);
            this.drawPiece(g, px, 1, y, Math.min(high, top + LANE - y), m);
            y += high;
        }
        return last;
    }
    drawEvents(g, run, column, top) {
        const {x, view} = this, rows = run.present(column);
        let first = lowerBound(rows, lowerBound(run.t, x.from)), shown = -1;
        const last = upperBound(rows, upperBound(run.t, x.to) - 1);
        g.fillStyle = view.ink.grid;
        g.fillRect(x.start, top + LANE - 1, x.end - x.start, 1);
        g.fillStyle = view.ink.text;
        while (first < last) {
            const px = Math.round(x.pixel(run.t[rows[first]]));
            if (px !== shown) g.fillRect(px - 0.5, top + 2, 1.5, LANE - 3);
            shown = px;
            first = Math.max(first + 1, lowerBound(rows, lowerBound(run.t, x.value(px + 0.5)), first, last));
        }
    }
    // The mode at the cursor is named even where its band is too narrow for a name.
    drawCursor() {
        const {view} = this, g = prepare(this.overlay, this.box.clientWidth, this.height), t = view.cursor;
        if (t === null) return;
        const px = this.x.pixel(t), at = view.run.around(t);
        g.fillStyle = view.ink.faint;
        g.fillRect(px, 12, 1, this.height - 14);
        g.fillStyle = view.ink.text;
        g.textAlign = 'right';
        this.columns.forEach((column, i) => {
            const {kind, modes} = view.head.columns[column], values = view.run.columns[column];
            if (at === null || kind !== 'mode') return;
            const before = values[at.left], after = values[at.exact ? at.right : at.left];
            const name = v => v === v ? modes[v] : '·';
            const text = before === after || Object.is(before, after) ? name(before) : `${name(before)} → ${name(after)}`;
            g.fillText(text, this.x.end, i * (LANE + 14) + 11);
        });
    }
}
