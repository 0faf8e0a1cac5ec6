// Curves on a canvas: many rows as a bar of extremes for each pixel, few rows as they are, with both ends of a jump.

const OPEN = 3.2;          // radius of the dots at the ends of a jump
const SPARSE_MOST = 20000;  // rows of a view that are drawn one by one

// A canvas with as many pixels as the screen has.
function prepare(canvas, width, height) {
    const ratio = window.devicePixelRatio || 1, w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (canvas.width !== w || canvas.height !== h) {
        canvas.width = w;
        canvas.height = h;
        canvas.style.width = width + 'px';
        canvas.style.height = height + 'px';
    }
    const g = canvas.getContext('2d');
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.font = '12px ' + getComputedStyle(document.body).fontFamily;
    return g;
}

function dot(g, x, y, colour, inside) {
    g.beginPath();
    g.arc(x, y, OPEN, 0, 2 * Math.PI);
    g.fillStyle = inside;
    g.strokeStyle = colour;
    g.setLineDash([]);
    g.lineWidth = 1.4;
    g.fill();
    g.stroke();
}

// The rows that a view of times needs: one more at each side, so that curves reach the edge.
function rowsIn(run, x) {
    return {from: Math.max(0, lowerBound(run.t, x.from) - 1), to: Math.min(run.t.length, upperBound(run.t, x.to) + 1)};
}

function drawDense(g, run, column, x, y, rows) {
    const pyramid = run.pyramid(column), values = run.columns[column];
    let row = rows.from, last = NaN;
    g.beginPath();
    for (let px = Math.floor(x.start); px <= x.end; px++) {
        const end = upperBound(run.t, x.value(px + 1), row, rows.to);
        if (end === row) continue;
        pyramid.extremes(row, end);
        let {low, high} = pyramid;
        const first = values[row];
        if (last === last && first === first) {  // no gap between this bar and the one before
            low = Math.min(low, last);
            high = Math.max(high, last);
        }
        last = values[end - 1];
        row = end;
        if (!(low <= high)) continue;
        const top = y.pixel(high), bottom = y.pixel(low);
        g.moveTo(px + 0.5, top - 0.6);
        g.lineTo(px + 0.5, bottom + 0.6);
    }
    g.lineWidth = 1.2;
    g.stroke();
}

// At one t the first row is the left limit and the last the right limit; what lies between is a dot.
function drawSparse(g, run, column, x, y, rows, colour, background) {
    const values = run.columns[column], {t} = run, jumps = [], inner = [];
    let pen = false;
    g.beginPath();
    for (let first = rows.from, last; first < rows.to; first = last + 1) {
        for (last = first; last + 1 < t.length && t[last + 1] === t[first]; last++);
        const left = values[first], right = values[last], px = x.pixel(t[first]);
        for (let i = first + 1; i < last; i++)
            if (run.tried[i] === 0 && values[i] === values[i] && values[i] !== left && values[i] !== values[i + 1])
                inner.push([px, y.pixel(values[i])]);
        if (left === left && pen) g.lineTo(px, y.pixel(left));
        if (left === left && !pen) g.moveTo(px, y.pixel(left));
        if (right === right && !Object.is(left, right)) g.moveTo(px, y.pixel(right));
        if (Math.abs(y.pixel(left) - y.pixel(right)) > 1) jumps.push([px, y.pixel(left), y.pixel(right)]);  // less is rounding
        const after = values[last + 1];
        if (right === right && !pen && after !== after) inner.push([px, y.pixel(right)]);  // alone
        pen = right === right;
    }
    g.lineWidth = 1.8;
    g.stroke();
    drawJumps(g, jumps, inner, colour, background);
}

function drawJumps(g, jumps, inner, colour, background) {
    g.beginPath();
    g.lineWidth = 1;
    g.setLineDash([2, 3]);
    for (const [px, from, to] of jumps) {
        g.moveTo(px, from);
        g.lineTo(px, to);
    }
    g.stroke();
    g.setLineDash([]);
    if (jumps.length > 150) return;
    for (const [px, from] of jumps) dot(g, px, from, colour, background);
    for (const [px, , to] of jumps) dot(g, px, to, colour, colour);
    for (const [px, py] of inner) dot(g, px, py, colour, background);
}

function drawCurve(g, run, column, x, y, colour, background, dash) {
    const rows = rowsIn(run, x);
    g.strokeStyle = colour;
    g.lineJoin = 'round';
    g.setLineDash(dash);
    if (rows.to - rows.from > SPARSE_MOST) drawDense(g, run, column, x, y, rows);
    else drawSparse(g, run, column, x, y, rows, colour, background);
    g.setLineDash([]);
}

// Arrows from the middle of the panel, with their weights where there is room.
function drawImpulses(g, run, column, order, x, y, colour) {
    const rows = run.present(column), values = run.columns[column];
    const zero = Math.max(y.end + 34, Math.min(y.start - 34, y.pixel(0)));
    let free = -Infinity;
    const first = lowerBound(rows, lowerBound(run.t, x.from)), last = upperBound(rows, upperBound(run.t, x.to) - 1);
    g.strokeStyle = g.fillStyle = colour;
    g.lineWidth = 2;
    g.textAlign = 'center';
    const stride = Math.max(1, Math.floor((last - first) / 2000));
    for (let i = first; i < last; i += stride) {
        const weight = values[rows[i]], px = x.pixel(run.t[rows[i]]), up = weight > 0 ? -1 : 1;
        if (weight === 0) continue;
        const tip = zero + 30 * up;
        g.beginPath();
        g.moveTo(px, zero);
        g.lineTo(px, tip - 6 * up);
        g.stroke();
        g.beginPath();
        g.moveTo(px, tip);
        g.lineTo(px - 4, tip - 8 * up);
        g.lineTo(px + 4, tip - 8 * up);
        g.fill();
        const text = minus(String(Number(weight.toPrecision(4)))) + ' δ' + '′'.repeat(order);
        const half = g.measureText(text).width / 2, middle = Math.max(x.start + half, Math.min(x.end - half, px));
        if (middle - half < free) continue;
        g.fillText(text, middle, tip + (up < 0 ? -4 : 13));
        free = middle + half + 8;
    }
}

// One signal against another: rows in the times shown, leaving out what falls on the pixel before.
function drawPhase(g, run, column, against, times, x, y) {
    const rows = rowsIn(run, times), xs = run.columns[against], ys = run.columns[column];
    let lastX = NaN, lastY = NaN, pen = false;
    g.beginPath();
    for (let i = rows.from; i < rows.to; i++) {
        if (xs[i] !== xs[i] || ys[i] !== ys[i]) {
            pen = false;
            continue;
        }
        const px = x.pixel(xs[i]), py = y.pixel(ys[i]);
        if (pen && Math.abs(px - lastX) < 0.5 && Math.abs(py - lastY) < 0.5) continue;
        const jump = i > 0 && run.t[i] === run.t[i - 1];
        if (pen && !jump) g.lineTo(px, py);
        else g.moveTo(px, py);
        lastX = px;
        lastY = py;
        pen = true;
    }
    g.lineWidth = 1.5;
    g.stroke();
}
